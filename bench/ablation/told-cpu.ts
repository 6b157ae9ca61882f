// Loaded before a program: at its end, it says on its last line of standard error how many seconds of processors it took.
import { writeSync } from 'node:fs';

process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  writeSync(2, `\n${(user + system) / 1e6}`);
});
