// Where a training begins: at its start, where it was stopped, or at its end, where it is over already.
import type { Trained } from '../trainer.ts';
import { Course } from './course.ts';
import type { Entry } from './journal.ts';
import { isStillThere } from './snapshots.ts';

export interface Beginning {
  /** What is kept of what was told before. */
  readonly kept: readonly Entry[];
  readonly course: Course;
  /** The whole, where there is nothing left to do. */
  readonly over: Trained | null;
}

/** What was told after the last that was saved is told again, and a file that is no longer there was not saved. */
export async function beginningFrom(entries: readonly Entry[]): Promise<Beginning> {
  const course = new Course();
  const last = await lastSaved(entries);
  const end = entries.at(-1);
  if (end?.kind === 'trained' && (end.trained.checkpoint === null || last === entries.findLastIndex(isSave))) {
    return { kept: entries, course, over: end.trained };
  }
  const kept = entries.slice(0, last + 1).filter((entry) => !isBeyond(entry, entries[last]));
  for (const entry of kept) {
    if (entry.kind === 'point') course.add(entry.point);
    if (entry.kind !== 'saved') continue;
    course.saved = { checkpoint: entry.checkpoint, isFile: entry.isFile };
    course.rollouts = entry.rollouts ?? 0;
  }
  return { kept, course, over: null };
}

/** A point that was told before the save and is of a later update: it will be told again. */
function isBeyond(entry: Entry, saved: Entry | undefined): boolean {
  const step = saved?.kind === 'saved' ? saved.checkpoint.step : undefined;
  return entry.kind === 'point' && step !== undefined && entry.point.step > step;
}

const isSave = ({ kind }: Entry): boolean => kind === 'saved';

/** -1 where there is none. */
async function lastSaved(entries: readonly Entry[]): Promise<number> {
  for (let i = entries.length - 1; i >= 0; i--) {
    const entry = entries[i];
    if (entry?.kind === 'saved' && (await isStillThere(entry))) return i;
  }
  return -1;
}
