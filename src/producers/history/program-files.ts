// The files of a run's programs, as its trainings recorded them.
import { isObject } from '../../../schemas/json-text.ts';
import type { ProgramFiles } from '../programs.ts';
import type { StageHistory } from './run-history.ts';

/** Of the last of these stages whose training recorded any; null if none did. */
export function lastProgramFiles(
  stages: readonly StageHistory[],
): { readonly stage: number; readonly files: ProgramFiles } | null {
  for (const { stage, training } of stages.toReversed()) {
    const files = training?.data.measured?.['programs'];
    if (isObject(files)) return { stage, files: files as ProgramFiles };
  }
  return null;
}

/** Those of both whose content differs. */
export function changedFiles(before: ProgramFiles, now: ProgramFiles): readonly string[] {
  return Object.keys(now).filter((file) => Object.hasOwn(before, file) && before[file] !== now[file]);
}
