// Reads the history of a run from its stream. A fork has the beginning of its parent's, which stands where it stands:
// nothing of it was copied. Only streams of decisions are read: what that costs does not grow with the number of rollouts.
import { IcecoreError } from '../../../schemas/errors.ts';
import { streamOf } from '../../../schemas/streams.ts';
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

/** Where streams of decisions are read from. */
export type RunReader = Pick<Ledger, 'read'>;

interface Extent {
  readonly wanted: Wanted;
  /** Without stages that never began, since nobody goes on with them, and only with the parent that it was forked from. */
  readonly isStrict: boolean;
  /** Runs that share this one's history. */
  readonly descendants: readonly string[];
}

const strict: Extent = { wanted: () => true, isStrict: true, descendants: [] };

/** The history that the run goes on with; empty where there is no such run. Throws ParentMissing. */
export async function readHistory(reader: RunReader, run: string, range: ReadOptions = {}): Promise<RunHistory> {
  return await extended(reader, emptyHistory(run), range, strict);
}

/** The history with what was recorded since. */
export async function continued(reader: RunReader, history: RunHistory): Promise<RunHistory> {
  return await extended(reader, history, { from: history.revision + 1 }, strict);
}

/** The history with the event that comes next in the run's own stream; with its first, that of its parent. */
export async function withNext(reader: RunReader, history: RunHistory, event: StoredEvent): Promise<RunHistory> {
  return withEvents(await begunWith(reader, history, [event], strict), [event], strict);
}

export interface RunRead extends RunHistory {
  readonly name: string;
  /** When it began; null where nobody said. */
  readonly at: string | null;
  /** By the stage it is for, the decision on its configuration that holds. */
  readonly adoptions: ReadonlyMap<number, Adoption>;
}

/** What `readRun` leaves out of a stream: nothing, unless told. */
export type Wanted = (type: string) => boolean;

/** Whatever there is of it, also where others recorded it or its parent is missing. */
export async function readRun(reader: RunReader, found: RunFound, wanted: Wanted = () => true): Promise<RunRead> {
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
  // That something came after a failure says that the run went on, whatever it was.
  if (!wanted(event.type)) return { ...history, failed: null, revision: event.revision };
  const now = withEvent(history, event);
  return isStrict ? { ...now, stages: now.stages.filter(({ began }) => began) } : now;
}

/** Of a run that was started several times the last start holds. */
function parentIn(events: readonly StoredEvent[]): Parent | undefined {
  const reading = events.findLast(({ type, isKnown }) => type === 'RunStarted' && isKnown)?.reading;
  return reading?.known && reading.type === 'RunStarted' ? reading.data.parent : undefined;
}

/**
 * The history before the first of these events: of a fork, what its parent decided as far as it is shared. Who the run is and
 * where its own stream stands are its own.
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
  requireShared(!descendants.includes(run), 'that run shares its history');
  if (descendants.includes(run)) return { ...own, parent: { run, name: run, stage, isThere: false } };
  const past = await extended(reader, emptyHistory(run), { to: revision }, { ...extent, descendants });
  requireShared(past.revision >= revision, 'that is not in this ledger');
  requireShared(past.digest === digest, 'what stands there is something else');
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

/** The parent of a fork is not there, or is not what it was. */
export class ParentMissing extends IcecoreError {
  override readonly name = 'ParentMissing';

  constructor(run: string, { run: parent, revision }: Parent, what: string) {
    super('damaged', `run ${run} shares the history of run ${parent} up to revision ${revision}, and ${what}`, {
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
    const [first, last] = [there[0], there.at(-1)];
    const many = first === last ? `its only stage is ${first}` : `it has ${there.length} stages, ${first} to ${last}`;
    super('not-found', `run ${name} has no stage ${stage}: ${first === undefined ? 'none has begun' : many}`, {
      facts: { run, stage, stages: there },
      remedy: 'icecore show shows the stages of a run.',
    });
  }
}
