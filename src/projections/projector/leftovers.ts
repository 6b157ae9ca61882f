// What processes that were killed have left in the folder of tables.
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A batch is worked on for seconds. */
const oldMs = 600_000;

const leftover = /^(?:spool|copy)-([0-9]+)-/;

/** Removes what belongs to no process any more. A process of another machine or container looks dead, so it must also be old. */
export function removeLeftovers(folder: string): void {
  for (const name of readdirSync(folder)) {
    const process = leftover.exec(name)?.[1];
    if (process === undefined || isAlive(Number(process))) continue;
    const path = join(folder, name);
    const touched = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (Date.now() - touched > oldMs) rmSync(path, { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
