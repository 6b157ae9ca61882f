// Reads the history of a run from its stream. A fork refers to its parent's events, which are not copied. Only decision
// streams are read, so the cost does not grow with the number of rollouts.
import { IcecoreError } from '../../../schemas/errors.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { Ledger, ReadOptions } from '../../ledger/ledger.ts';
import type { RunFound } from '../../ledger/runs.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import {
  type Adoption,
  emptyHistory,
  type Parent,
  type RunHistory,
  type StageHistory,
  stageAt,
  withEvent,
} from './run-history.ts';

/** A source of decision streams. */
export type RunReader = Pick<Ledger, 'read'>;

interface Extent {
  readonly wanted: EventFilter;
  /** Drops stages that never started, because nothing continues them, and accepts only the parent that was forked. */
  readonly isStrict: boolean;
  /** Runs that share this one's history. */
  readonly descendants: readonly string[];
}

const strict: Extent = { wanted: () => true, isStrict: true, descendants: [] };

/** The history from which the run continues; empty if the run does not exist. Throws ParentMissing. */
export async function readHistory(reader: RunReader, run: string, range: ReadOptions = {}): Promise<RunHistory> {
  return await extended(reader, emptyHistory(run), range, strict);
}

/** The history with the events recorded since. */
export async function continued(reader: RunReader, history: RunHistory): Promise<RunHistory> {
  return await extended(reader, history, { from: history.revision + 1 }, strict);
}

/** The history with the next event of the run's own stream; the first event adds the parent's history. */
export async function withNext(reader: RunReader, history: RunHistory, event: StoredEvent): Promise<RunHistory> {
  return withEvents(await begunWith(reader, history, [event], strict), [event], strict);
}

export interface RunRead extends RunHistory {
  readonly name: string;
  /** When it started; null if unknown. */
  readonly at: string | null;
  /** The valid configuration decision of each stage. */
  readonly adoptions: ReadonlyMap<number, Adoption>;
}

/** Selects the events that `readRun` reads (default: all). */
export type EventFilter = (type: string) => boolean;

/** Reads what exists, even if parts were recorded by others or the parent is missing. */
export async function readRun(reader: RunReader, found: RunFound, wanted: EventFilter = () => true): Promise<RunRead> {
  const history = await extended(reader, emptyHistory(found.run), {}, { wanted, isStrict: false, descendants: [] });
  const { started, decisions } = history;
  return {
    ...history,
    name: started?.data.name ?? found.name,
    at: started?.envelope.at ?? null,
    adoptions: new Map(decisions.map((one) => [one.envelope.stage ?? 0, one])),
  };
}

async function extended(
  reader: RunReader,
  history: RunHistory,
  range: ReadOptions,
  extent: Extent,
): Promise<RunHistory> {
  const all: StoredEvent[] = [];
  for await (const events of reader.read(streamOf.run(history.run), range)) all.push(...events);
  return withEvents(await begunWith(reader, history, all, extent), all, extent);
}

function withEvents(history: RunHistory, events: readonly StoredEvent[], extent: Extent): RunHistory {
  return events.reduce((before, event) => withEventIn(extent, before, event), history);
}

function withEventIn({ wanted, isStrict }: Extent, history: RunHistory, event: StoredEvent): RunHistory {
  // Any event after a failure shows that the run continued.
  if (!wanted(event.type)) return { ...history, failed: null, revision: event.revision };
  const now = withEvent(history, event);
  return isStrict ? { ...now, stages: now.stages.filter(({ began }) => began) } : now;
}

/** If a run was started several times, the last start counts. */
function parentIn(events: readonly StoredEvent[]): Parent | undefined {
  const reading = events.findLast(({ type, isKnown }) => type === 'RunStarted' && isKnown)?.reading;
  return reading?.known && reading.type === 'RunStarted' ? reading.data.parent : undefined;
}

/**
 * The history before the first of these events: for a fork, the shared part of its parent. The run's identity and its
 * stream's position are its own.
 */
async function begunWith(
  reader: RunReader,
  own: RunHistory,
  events: readonly StoredEvent[],
  extent: Extent,
): Promise<RunHistory> {
  const parent = own.revision < 0 ? parentIn(events) : undefined;
  if (parent === undefined) return own;
  const { run, stage, revision, digest } = parent;
  const descendants = [...extent.descendants, own.run];
  const requireShared = (is: boolean, what: string): void => {
    if (extent.isStrict && !is) throw new ParentMissing(own.run, parent, what);
  };
  // A run that is its own ancestor was forged.
  requireShared(!descendants.includes(run), 'which in turn shares its history');
  if (descendants.includes(run)) return { ...own, parent: { run, name: run, stage, isThere: false } };
  const past = await extended(reader, emptyHistory(run), { to: revision }, { ...extent, descendants });
  requireShared(past.revision >= revision, 'which is not in this ledger');
  requireShared(past.digest === digest, 'where another event is');
  const { initial, opening, descriptor, newer } = past;
  return {
    ...own,
    ...{ initial, opening, descriptor },
    stages: past.stages
      .filter((one) => one.stage <= stage)
      .map((one) => (one.recorder === run ? { ...one, upto: revision } : one)),
    decisions: past.decisions.filter(({ envelope }) => (envelope.stage ?? 0) <= stage + 1),
    shares: [parent, ...past.shares],
    parent: { run, name: past.started?.data.name ?? run, stage, isThere: past.revision >= 0 },
    ...(newer === undefined ? {} : { newer }),
  };
}

/** The parent of a fork is missing or has changed. */
export class ParentMissing extends IcecoreError {
  override readonly name = 'ParentMissing';

  constructor(run: string, { run: parent, revision }: Parent, what: string) {
    super('damaged', `run ${run} shares the history of run ${parent} up to revision ${revision}, ${what}`, {
      facts: { run, parent, revision },
      remedy: 'Copy the parent into this ledger too: icecore ledger copy.',
    });
  }
}

/** Throws NoSuchStage. */
export function stageOf(read: RunRead, stage: number): StageHistory {
  const found = stageAt(read, stage);
  if (found !== null) return found;
  throw new NoSuchStage(read, stage, read.stages);
}

class NoSuchStage extends IcecoreError {
  override readonly name = 'NoSuchStage';

  constructor({ run, name }: RunFound, stage: number, stages: readonly StageHistory[]) {
    const there = stages.map((one) => one.stage);
    const [first, last] = [there[0], stages.at(-1)];
    const many =
      there.length === 1 ? `its only stage is ${first}` : `it has ${there.length} stages, ${first} to ${last?.stage}`;
    const isDecided = last?.stage === stage - 1 && last.adopted !== null;
    super(
      'not-found',
      isDecided
        ? `stage ${stage} of ${name} is decided, but has not begun`
        : `run ${name} has no stage ${stage}: ${first === undefined ? 'none has started' : many}`,
      {
        facts: { run, stage, stages: there },
        remedy: isDecided
          ? `icecore why ${shellWord(`${name}@${stage}`)} shows the decision.`
          : `icecore show ${shellWord(name)} shows its stages.`,
      },
    );
  }
}
