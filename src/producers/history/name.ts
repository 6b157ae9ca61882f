// The name of a run, without what reading its history loads.
import type { RunHistory } from './run-history.ts';

/** What people call the run; its identity where it has no name. */
export function nameOf({ run, started }: Pick<RunHistory, 'run' | 'started'>): string {
  return started?.data.name ?? run;
}
