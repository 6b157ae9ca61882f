// Which rollouts of a run are events.
import type { RunSettings } from '../../../schemas/run-file.ts';

export type Recording = NonNullable<RunSettings['record']>;

/** The most first. */
export const recordings: readonly Recording[] = ['all', 'evaluation', 'sample'];

/** What runs recorded before there was a choice. */
export const unsaid: Recording = 'sample';

export function recordingOf({ record = unsaid }: Pick<RunSettings, 'record'>): {
  readonly training: boolean;
  readonly evaluations: boolean;
} {
  return { training: record === 'all', evaluations: record !== 'sample' };
}
