import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Context } from '../context.ts';

/** Reads a file that was named. A folder in its place is told by its path, which the system's own fault leaves out. */
export function readGiven({ io }: Context, file: string): string {
  try {
    return readFileSync(resolve(io.cwd, file), 'utf8');
  } catch (fault) {
    throw fault instanceof Error ? Object.assign(fault, { path: file }) : fault;
  }
}
