// The name of a run and the command that continues it, without what reading its history loads.
import { external } from '../../../schemas/run-file.ts';
import { commandToContinue } from '../../base/continuing.ts';
import type { RunHistory } from './run-history.ts';

/** What people call the run; its identity where it has no name. */
export function nameOf({ run, started }: Pick<RunHistory, 'run' | 'started'>): string {
  return started?.data.name ?? run;
}

/** Of a run whose last stage is not complete. */
export function commandToComplete(history: Pick<RunHistory, 'run' | 'started' | 'stages'>): string {
  const training = history.stages.at(-1)?.training ?? null;
  return commandToContinue(nameOf(history), {
    isTrainedElsewhere: history.started?.data.trainer?.name === external,
    isTrained: training !== null,
  });
}
