// Tells when a run goes on with other programs under the same names: its later stages would silently be those of another trainer or
// environment.
import { commandIn, type RunSettings } from '../../../schemas/run-file.ts';
import { nameOf } from '../../producers/history/name.ts';
import { changedFiles, lastProgramFiles } from '../../producers/history/program-files.ts';
import type { RunHistory } from '../../producers/history/run-history.ts';
import type { ProgramFiles } from '../../producers/programs.ts';

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
