// A server as a process, for tests.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished } from 'vitest';
import { bare, bin } from '../../testing/harness.ts';

export interface Running {
  readonly child: ChildProcess;
  readonly url: string;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly ended: Promise<number>;
}

export const anyPort = ['--port', '0'];

/** Starts `icecore serve` in a process of its own, which ends with the test. */
export async function serve(
  cwd: string,
  words: readonly string[] = anyPort,
  env: Record<string, string> = {},
): Promise<Running> {
  const child = spawn(process.execPath, [bin, 'serve', ...words], {
    ...{ cwd, env: { ...bare(), ...env } },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  const ended = once(child, 'exit').then(([code, signal]) => (signal === null ? Number(code) : 128));
  await expect.poll(() => `${stdout}${stderr}`, { timeout: 30_000 }).toMatch(/http:\/\/\S+\n|icecore: /);
  const [url = ''] = /http:\/\/[^\s"]+/.exec(stdout) ?? [];
  return { child, url, stdout: () => stdout, stderr: () => stderr, ended };
}
