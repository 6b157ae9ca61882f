// Loaded before a program: prints the seconds of processor time it used as its last line of standard error.
import { writeSync } from 'node:fs';

process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  writeSync(2, `\n${(user + system) / 1e6}`);
});
