// Kills a process that prints its progress, after a number of lines.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** False if it completed first. */
export async function isKilledAfter(
  lines: number,
  child: ChildProcess & { readonly stdout: Readable },
): Promise<boolean> {
  const exit = once(child, 'exit');
  let seen = 0;
  for await (const _ of createInterface(child.stdout)) {
    seen++;
    if (seen > lines) child.kill('SIGKILL');
  }
  const [, signal] = await exit;
  return signal === 'SIGKILL';
}
