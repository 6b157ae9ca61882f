// Reads the history of a run from its stream. A fork has the beginning of its parent's, which stands where it stands:
// nothing of it was copied.
import { IcecoreError } from '../../../schemas/errors.ts';
import { streamOf } from '../../../schemas/streams.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import { emptyHistory, type Parent, type RunHistory, withEvent } from './history.ts';

/** The parent of a fork is not there, or is not what it was. */
export class ParentMissing extends IcecoreError {
  override readonly name = 'ParentMissing';

  constructor(run: string, parent: string, revision: number, what: string) {
    super('damaged', `run ${run} shares the history of run ${parent} up to revision ${revision}, and ${what}`, {
      facts: { run, parent, revision },
      remedy: 'Copy the parent into this ledger too: icecore ledger copy.',
    });
  }
}

/** Empty where there is no such run. Throws ParentMissing. */
export async function readHistory(ledger: Ledger, run: string): Promise<RunHistory> {
  return await continued(ledger, emptyHistory(run));
}

/** The history with what was recorded since. */
export async function continued(ledger: Ledger, history: RunHistory): Promise<RunHistory> {
  let now = history;
  for await (const events of ledger.read(streamOf.run(history.run), { from: history.revision + 1 })) {
    for (const event of events) now = await withNext(ledger, now, event);
  }
  return now;
}

/** The history with the event that comes next in the run's own stream; with its first, that of its parent. */
export async function withNext(ledger: Ledger, history: RunHistory, event: StoredEvent): Promise<RunHistory> {
  return await withNextOf(ledger, history, event, []);
}

/** `descendants`: the forks whose history is being read. A run that is its own ancestor was forged. */
async function withNextOf(
  ledger: Ledger,
  history: RunHistory,
  event: StoredEvent,
  descendants: readonly string[],
): Promise<RunHistory> {
  const now = withEvent(history, event);
  const parent = now.revision === 0 ? now.started?.data.parent : undefined;
  return parent === undefined ? now : await onParent(ledger, now, parent, [...descendants, now.run]);
}

/** What the parent decided as far as it is shared; who the run is and where its own stream stands are its own. */
async function onParent(
  ledger: Ledger,
  own: RunHistory,
  parent: Parent,
  descendants: readonly string[],
): Promise<RunHistory> {
  const { initial, stages, shares, newer } = await sharedHistory(ledger, own.run, parent, descendants);
  const shared = { initial, stages: stages.filter(({ stage }) => stage <= parent.stage), shares: [parent, ...shares] };
  return { ...own, ...shared, ...(newer === undefined ? {} : { newer }) };
}

async function sharedHistory(
  ledger: Ledger,
  run: string,
  { run: parent, revision, digest }: Parent,
  descendants: readonly string[],
): Promise<RunHistory> {
  if (descendants.includes(parent)) throw new ParentMissing(run, parent, revision, 'that run shares its history');
  let history = emptyHistory(parent);
  let last = '';
  for await (const events of ledger.read(streamOf.run(parent), { to: revision })) {
    for (const event of events) {
      history = await withNextOf(ledger, history, event, descendants);
      last = event.digest;
    }
  }
  if (history.revision < revision) throw new ParentMissing(run, parent, revision, 'that is not in this ledger');
  if (last !== digest) throw new ParentMissing(run, parent, revision, 'what stands there is something else');
  return history;
}
