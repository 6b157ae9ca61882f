// Where a run goes off from another: at the end of a stage, whose history it shares by reference.
import type { EventData } from '../../../schemas/catalogue.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { RunSettings } from '../../../schemas/run-file.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { RunHistory } from '../run/history.ts';
import { readHistory } from '../run/reading.ts';
import { nameOf, stageOver } from './stage-over.ts';

export type Parent = NonNullable<EventData['RunStarted']['parent']>;

/** Of what a fork shares itself, the run that recorded it. Throws StageNotOver and ParentMissing. */
export async function parentAt(ledger: Ledger, history: RunHistory, stage: number | null): Promise<Parent> {
  const over = stageOver(history, stage);
  const parent = history.started?.data.parent;
  if (parent !== undefined && over.stage <= parent.stage) {
    return await parentAt(ledger, await readHistory(ledger, parent.run), over.stage);
  }
  if (over.completed === null) throw new Error(`stage ${over.stage} is not over`);
  const { revision, digest } = over.completed;
  return { run: history.run, stage: over.stage, revision, digest };
}

/** A fork has something to do. */
export function requireStagesLeft(history: RunHistory, stage: number, { stages }: RunSettings): void {
  if (stages > stage) return;
  const name = nameOf(history);
  throw new IcecoreError('usage', `after stage ${stage} of ${name}, nothing is left to do of ${stages} stages`, {
    facts: { run: history.run, stage, stages },
    remedy: `Say how many there are to be: --stages ${stage + 1}`,
  });
}
