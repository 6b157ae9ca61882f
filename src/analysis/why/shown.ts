// What the engineer was shown when it decided: the context that a decision names, by its event or by the digest of its bytes.
import type { EventData } from '../../../schemas/catalogue.ts';
import { contextNamed } from '../../producers/history/citing.ts';
import type { RunRead } from '../../producers/history/run-read.ts';
import { stageRun } from '../../producers/run/history.ts';
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
  const own = contextNamed(read, named);
  if (own !== null) return { id: own.id, stage: (own.envelope.stage ?? 0) - 1, data: own.data };
  if (named.event === undefined) return null;
  const data = await events.dataOf(named.event, 'ContextRecorded');
  const event = await events.at(named.event);
  return data === null || event === null ? null : { id: named.event, stage: stageRun(event), data };
}
