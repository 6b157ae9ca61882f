// What somebody left behind who was killed at work.
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { temporaryPath } from '../../../base/temporary.ts';

/** Makes within `near` the working folder of a process that is no more. */
export function leaveBehind(near: string): void {
  // The same process under a number that no process has.
  const left = basename(temporaryPath(near)).replace(`-${process.pid}-`, '-4194305-');
  mkdirSync(join(near, '.icecore-unfinished', left), { recursive: true });
}
