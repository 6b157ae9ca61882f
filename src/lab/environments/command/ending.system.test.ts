import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { isRunning } from '../../programs/testing/running.ts';
import { collected } from '../contract/tasks.ts';
import type { Task } from '../environment.ts';
import { opened, program, request } from './testing/programs.ts';

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
      const program = { command: ${JSON.stringify(deaf)}, folder: process.cwd(), environment: process.env };
      const { descriptor } = await openCommand({ program });
      process.stdout.write(descriptor.meaning);
      setImmediate(() => { ${end} });`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
    expect(stdout, stderr).toMatch(/^\d+$/);
    await vi.waitFor(() => expect(isRunning(Number(stdout))).toBe(false));
  },
);

describe('closing', () => {
  it('kills a program that does not exit', async () => {
    const environment = await opened(`generate(r) {
      process.stdin.on('end', () => setInterval(() => {}, 1000));
      for (const line of [{ task: task(0) }, { done: true }]) say({ request: r.request, ...line });
    }`);
    const { tasks } = await collected(environment.generate(request(1)));
    const pid = tasks[0]?.facts['pid'] as number;
    await environment.close();
    expect(isRunning(pid)).toBe(false);
  });

  it('kills a busy program at once', async () => {
    const environment = await opened(`generate(r) { say({ request: r.request, task: task(0) }); while (true); }`);
    const tasks = environment.generate(request(5));
    const { facts } = (await tasks.next()).value as Task;
    const waiting = tasks.next().catch((error) => error);
    await environment.close();
    expect(isRunning(facts['pid'] as number)).toBe(false);
    expect((await waiting).name).toBe('EnvironmentClosed');
  });
});
