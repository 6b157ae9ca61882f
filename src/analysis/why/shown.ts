// What the engineer was shown when it decided: the context that a decision names, by its event or by the digest of its bytes.
import type { EventData } from '../../../schemas/catalogue.ts';
import { stageRun } from '../../producers/run/history.ts';
import type { RunRead } from '../history/run-read.ts';
import type { Events } from './events.ts';

export interface ShownContext {
  readonly id: string;
  /** The stage it looks back on. */
  readonly stage: number;
  readonly data: EventData['ContextRecorded'];
}

type Named = EventData['ConfigAdopted']['context'];

/** Null where nothing was shown, where it is not here, or cannot be read. */
export async function contextShown(read: RunRead, events: Events, named: Named): Promise<ShownContext | null> {
  if (named === null) return null;
  const recorded = read.history.stages.flatMap(({ stage, contexts }) =>
    contexts.map(({ id, data }) => ({ id, stage, data })),
  );
  if (named.event === undefined) return recorded.findLast(({ data }) => data.digest === named.digest) ?? null;
  const own = recorded.find(({ id }) => id === named.event);
  if (own !== undefined) return own;
  const data = await events.dataOf(named.event, 'ContextRecorded');
  const event = await events.at(named.event);
  return data === null || event === null ? null : { id: named.event, stage: stageRun(event), data };
}
