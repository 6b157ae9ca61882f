// Whether a program can be started at all: known before anything is written for it.
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { ProgramNotStarted } from '../lab/programs/errors.ts';
import { nameOf } from '../lab/programs/name.ts';

/** Throws ProgramNotStarted. Where names have endings that are left out, it shows when it is started. */
export function refuseMissing(role: string, command: readonly [string, ...string[]], folder: string): void {
  if (process.platform === 'win32') return;
  const [program] = command;
  const folders = program.includes('/') ? [''] : (process.env['PATH'] ?? '').split(delimiter);
  if (folders.some((one) => canRun(resolve(folder, one, program)))) return;
  const witness = { role, program: nameOf(command), during: [], lastWords: [] };
  throw new ProgramNotStarted(witness, `there is no program ${program} that may be executed`, 'ENOENT');
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
