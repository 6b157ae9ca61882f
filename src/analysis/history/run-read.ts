// A run as its stream tells it, with the history it shares where it is a fork. Only streams of decisions are read: what
// that costs does not grow with the number of rollouts.
import type { EventData, TypeName } from '../../../schemas/catalogue.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { streamOf } from '../../../schemas/streams.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { RunFound } from '../../ledger/runs.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import {
  emptyHistory,
  newStage,
  type Recorded,
  type RunHistory,
  type StageHistory,
  stageRun,
  withEvent,
} from '../../producers/run/history.ts';

/** As it is read back: nothing in it may be changed. */
export type Descriptor = NonNullable<EventData['RunStarted']['descriptor']>;

export interface Adoption extends Recorded<'ConfigAdopted'> {
  readonly actor: string;
  /** The events it rests on. */
  readonly causes: readonly string[];
  /** Answers that could not be used, and errors by which there was none, that were there when it was made. What comes later has no part in it. */
  readonly rejections: readonly string[];
}

export interface Parent {
  readonly run: string;
  readonly name: string;
  readonly stage: number;
  /** False where the ledger does not have that history. */
  readonly isThere: boolean;
}

export interface RunRead {
  readonly run: string;
  readonly name: string;
  /** When it began; null where nobody said. */
  readonly at: string | null;
  /** Of a fork, with the stages it shares. */
  readonly history: RunHistory;
  /** By the stage it is for, the decision on its configuration. */
  readonly adoptions: ReadonlyMap<number, Adoption>;
  /** Evaluations that belong to no stage. */
  readonly outside: readonly Recorded<'EvaluationRecorded'>[];
  readonly descriptor: Descriptor | null;
  readonly parent: Parent | null;
  /** The stage in which it failed last. */
  readonly failedIn: number | null;
  /** Events this icecore cannot read. */
  readonly opaque: readonly StoredEvent[];
}

/** What `readRun` leaves out of a stream: nothing, unless told. */
export type Wanted = (type: string) => boolean;

export async function readRun(ledger: Ledger, found: RunFound, wanted: Wanted = () => true): Promise<RunRead> {
  return await upTo(ledger, found, { wanted, last: null, descendants: [] });
}

interface Extent {
  readonly wanted: Wanted;
  /** The last revision that is read; null: all. */
  readonly last: number | null;
  /** Runs that share this one's history. */
  readonly descendants: readonly string[];
}

async function upTo(ledger: Ledger, { run, name }: RunFound, extent: Extent): Promise<RunRead> {
  let read = nothing(run, name);
  const end = extent.last === null ? {} : { to: extent.last };
  for await (const events of ledger.read(streamOf.run(run), end)) {
    for (const event of events) {
      read = extent.wanted(event.type) ? withRead(read, event) : passedOver(read, event);
      if (event.type === 'RunStarted') read = await withParent(ledger, read, event, extent);
    }
  }
  return read;
}

function nothing(run: string, name: string): RunRead {
  const history = emptyHistory(run);
  const none = { at: null, descriptor: null, parent: null, failedIn: null };
  return { run, name, history, adoptions: new Map(), outside: [], opaque: [], ...none };
}

/** That something came after a failure says that the run went on, whatever it was. */
function passedOver(read: RunRead, { revision }: StoredEvent): RunRead {
  return { ...read, history: { ...read.history, failed: null, revision } };
}

function withRead(read: RunRead, event: StoredEvent): RunRead {
  const { reading, envelope } = event;
  if (!reading.known) return { ...read, history: withEvent(read.history, event), opaque: [...read.opaque, event] };
  const history = withEvent(withStage(read.history, event), event);
  const at = { id: event.id, revision: event.revision, digest: event.digest };
  switch (reading.type) {
    case 'RunStarted': {
      const { name, descriptor = null } = reading.data;
      return { ...read, history, name, at: envelope.at, descriptor };
    }
    case 'ConfigAdopted': {
      const causes = envelope.causes.flatMap((cause) => ('event' in cause ? [cause.event] : []));
      const before = history.stages.find(({ stage }) => stage === stageRun(event));
      const rejections = [...(before?.rejections ?? []), ...(before?.errors ?? [])].map(({ id }) => id);
      const adoption = { ...at, data: reading.data, actor: envelope.actor, causes, rejections };
      return { ...read, history, adoptions: new Map(read.adoptions).set(envelope.stage ?? 0, adoption) };
    }
    case 'EvaluationRecorded':
      if (envelope.stage !== null) return { ...read, history };
      return { ...read, history, outside: [...read.outside, { ...at, data: reading.data }] };
    case 'RunFailed':
      return { ...read, history, failedIn: envelope.stage };
    default:
      return { ...read, history };
  }
}

const beginStages: readonly TypeName[] = ['StageStarted', 'ConfigAdopted', 'RunFailed'];

/** What others record may speak of stages that were never said to start. */
function withStage(history: RunHistory, event: StoredEvent): RunHistory {
  const { envelope, id, revision, digest } = event;
  const { type } = envelope;
  const stage = stageRun(event);
  if (stage === 0 || beginStages.some((one) => one === type)) return history;
  if (history.stages.some((one) => one.stage === stage)) return history;
  const bare = newStage(stage, { id, revision, digest, data: {} });
  return { ...history, stages: [...history.stages, bare] };
}

/** With the history that a fork shares put before its own. A run begins once: of a second beginning nothing more is read. */
async function withParent(ledger: Ledger, read: RunRead, event: StoredEvent, extent: Extent): Promise<RunRead> {
  const { reading } = event;
  if (!reading.known || reading.type !== 'RunStarted' || reading.data.parent === undefined) return read;
  if (read.parent !== null) return read;
  const { run, stage, revision } = reading.data.parent;
  const descendants = [...extent.descendants, read.run];
  if (descendants.includes(run)) return { ...read, parent: { run, name: run, stage, isThere: false } };
  const shared = await upTo(ledger, { run, name: run }, { ...extent, last: revision, descendants });
  const isThere = shared.history.revision >= 0;
  return {
    ...read,
    history: {
      ...read.history,
      initial: shared.history.initial,
      stages: shared.history.stages.filter((one) => one.stage <= stage),
    },
    adoptions: new Map([...shared.adoptions].filter(([configured]) => configured <= stage + 1)),
    descriptor: read.descriptor ?? shared.descriptor,
    parent: { run, name: shared.name, stage, isThere },
  };
}

/** Throws NoSuchStage. */
export function stageOf({ run, name, history }: RunRead, stage: number): StageHistory {
  const found = history.stages.find((one) => one.stage === stage);
  if (found !== undefined) return found;
  throw new NoSuchStage({ run, name }, stage, history.stages);
}

export class NoSuchStage extends IcecoreError {
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
