// Kills a process that says a line for every thing it does, once it has said so many.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** False where it came to its end first. */
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
