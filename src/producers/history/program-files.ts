// The files of a run's programs, as its trainings recorded them, and whether they have changed since: its later stages would silently be
// those of another trainer or environment.
import { isObject } from '../../../schemas/json-text.ts';
import { commandIn, type RunSettings } from '../../../schemas/run-file.ts';
import type { ProgramFiles } from '../programs.ts';
import { nameOf } from './name.ts';
import type { RunHistory, StageHistory } from './run-history.ts';

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

/** A sentence for each file that has changed since the last training that recorded it. */
export function programsChanged(
  history: RunHistory,
  { environment }: Pick<RunSettings, 'environment'>,
  now: ProgramFiles,
): readonly string[] {
  const last = lastProgramFiles(history.stages);
  if (last === null) return [];
  return changedFiles(last.files, now).map((file) => {
    const does = commandIn(environment)?.includes(file) === true ? 'played' : 'trained';
    return `${file} has changed since stage ${last.stage} of ${nameOf(history)}: the later stages are ${does} by another program`;
  });
}
