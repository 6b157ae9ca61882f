import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it, vi } from 'vitest';
import { isRunning, program } from './testing/programs.ts';

it.each(['process.exit(0)', 'throw new Error("a fault")'])(
  'a program does not outlive a process that ends without closing it: %s',
  async (end) => {
    const deaf = program(`describe(r) {
      process.stdin.on('end', () => setInterval(() => {}, 1000));
      say({ request: r.request, ...description, descriptor: { ...description.descriptor, meaning: String(process.pid) } });
    }`);
    const open = fileURLToPath(new URL('./open.ts', import.meta.url));
    const code = `
      const { openCommand } = await import(${JSON.stringify(open)});
      const { descriptor } = await openCommand({ command: ${JSON.stringify(deaf)} });
      process.stdout.write(descriptor.meaning);
      setImmediate(() => { ${end} });`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
    expect(stdout, stderr).toMatch(/^\d+$/);
    await vi.waitFor(() => expect(isRunning(Number(stdout))).toBe(false));
  },
);
