// A run as its stream describes it, with the history it shares where it is a fork: the read model of decisions. It is what
// `show`, `why` and reports read, and what the tables of decisions are filled from. Only streams of decisions are read: what
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
  nowhere,
  type Recorded,
  type RunHistory,
  recordedAs,
  type StageHistory,
  stageRun,
  withEvent,
} from '../run/history.ts';

/** As it is read back: nothing in it may be changed. */
export type Descriptor = NonNullable<EventData['RunStarted']['descriptor']>;

export interface Adoption extends Recorded<'ConfigAdopted'> {
  /** Answers that could not be used, and errors by which there was none, that were there when it was made. What comes later has no part in it. */
  readonly rejections: readonly string[];
}

interface Parent {
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
  /** What was asked and answered for the first stage. */
  readonly opening: StageHistory;
  /** Every decision there was, in order. */
  readonly decisions: readonly Adoption[];
  /** By the stage it is for, the decision on its configuration that holds. */
  readonly adoptions: ReadonlyMap<number, Adoption>;
  /** Evaluations that belong to no stage. */
  readonly outside: readonly Recorded<'EvaluationRecorded'>[];
  readonly descriptor: Descriptor | null;
  readonly parent: Parent | null;
  /** Events this icecore cannot read. */
  readonly opaque: readonly StoredEvent[];
}

/** What `readRun` leaves out of a stream: nothing, unless told. */
export type Wanted = (type: string) => boolean;

/** Where streams of decisions are read from. */
export type RunReader = Pick<Ledger, 'read'>;

export async function readRun(reader: RunReader, found: RunFound, wanted: Wanted = () => true): Promise<RunRead> {
  return await upTo(reader, found, { wanted, last: null, descendants: [] });
}

interface Extent {
  readonly wanted: Wanted;
  /** The last revision that is read; null: all. */
  readonly last: number | null;
  /** Runs that share this one's history. */
  readonly descendants: readonly string[];
}

async function upTo(reader: RunReader, { run, name }: RunFound, extent: Extent): Promise<RunRead> {
  const all: StoredEvent[] = [];
  const end = extent.last === null ? {} : { to: extent.last };
  for await (const events of reader.read(streamOf.run(run), end)) all.push(...events);
  const parent = parentIn(all);
  const none = nothing(run, name);
  const begun = parent === undefined ? none : await onParent(reader, none, parent, extent);
  return all.reduce(
    (read, event) => (extent.wanted(event.type) ? withRead(read, event) : passedOver(read, event)),
    begun,
  );
}

type SharedHistory = NonNullable<EventData['RunStarted']['parent']>;

/** Of a run that was started several times the last start holds. */
function parentIn(events: readonly StoredEvent[]): SharedHistory | undefined {
  const reading = events.findLast(({ type, isKnown }) => type === 'RunStarted' && isKnown)?.reading;
  return reading?.known && reading.type === 'RunStarted' ? reading.data.parent : undefined;
}

function nothing(run: string, name: string): RunRead {
  const opening = { ...newStage(0, { ...nowhere, data: {} }, false), recorder: run };
  const none = { at: null, descriptor: null, parent: null, outside: [], decisions: [], opaque: [] };
  return { run, name, history: emptyHistory(run), opening, adoptions: new Map(), ...none };
}

/** That something came after a failure says that the run went on, whatever it was. */
function passedOver(read: RunRead, { revision }: StoredEvent): RunRead {
  return { ...read, history: { ...read.history, failed: null, revision } };
}

function withRead(read: RunRead, event: StoredEvent): RunRead {
  const { reading, envelope } = event;
  if (!reading.known) return { ...read, history: withEvent(read.history, event), opaque: [...read.opaque, event] };
  const history = withEvent(withStage(read.history, event), event);
  const opening = isForFirstStage(event) ? withOpening(read.opening, event) : read.opening;
  const known = { ...read, history, opening };
  switch (reading.type) {
    case 'RunStarted': {
      const { name, descriptor = read.descriptor } = reading.data;
      return { ...known, name, at: envelope.at, descriptor };
    }
    case 'ConfigAdopted': {
      const before = askedFor(known, envelope.stage ?? 0);
      const rejections = [...(before?.rejections ?? []), ...(before?.errors ?? [])].map(({ id }) => id);
      const adoption = { ...recordedAs(event), data: reading.data, rejections };
      return {
        ...known,
        decisions: [...read.decisions, adoption],
        adoptions: new Map(read.adoptions).set(envelope.stage ?? 0, adoption),
      };
    }
    case 'EvaluationRecorded':
      if (envelope.stage !== null) return known;
      return { ...known, outside: [...read.outside, { ...recordedAs(event), data: reading.data }] };
    default:
      return known;
  }
}

/** The stage before, which holds what was asked and answered for a stage; null where nothing was. */
export function askedFor(
  { history, opening }: Pick<RunRead, 'history' | 'opening'>,
  stage: number,
): StageHistory | null {
  return stage === 1 ? opening : (history.stages.find((one) => one.stage === stage - 1) ?? null);
}

/** A stage is in the history when an event is about what happened in it, or about what was made of it for the next. */
const inStages: readonly TypeName[] = [
  'TrainingRecorded',
  'EvaluationRecorded',
  'EvidenceSealed',
  'SummaryRecorded',
  'StageCompleted',
  'ContextRecorded',
  'ProposalRecorded',
  'ProposalRejected',
  'ProposalErrored',
];

/** What others record may speak of stages that were never said to start. */
function withStage(history: RunHistory, event: StoredEvent): RunHistory {
  const stage = stageRun(event);
  if (stage < 1 || !inStages.some((one) => one === event.type)) return history;
  if (history.stages.some((one) => one.stage === stage)) return history;
  const bare = newStage(stage, { ...recordedAs(event), data: {} }, false);
  return { ...history, stages: [...history.stages, bare] };
}

const forFirstStage: readonly TypeName[] = [
  'ContextRecorded',
  'ProposalRecorded',
  'ProposalRejected',
  'ProposalErrored',
];

function isForFirstStage({ type, envelope }: StoredEvent): boolean {
  return envelope.stage === 1 && forFirstStage.some((one) => one === type);
}

function withOpening(opening: StageHistory, event: StoredEvent): StageHistory {
  const [changed] = withEvent({ ...emptyHistory(opening.recorder), stages: [opening] }, event).stages;
  return changed ?? opening;
}

/** With the history that a fork shares put before its own. */
async function onParent(
  reader: RunReader,
  read: RunRead,
  { run, stage, revision }: SharedHistory,
  extent: Extent,
): Promise<RunRead> {
  const descendants = [...extent.descendants, read.run];
  if (descendants.includes(run)) return { ...read, parent: { run, name: run, stage, isThere: false } };
  const shared = await upTo(reader, { run, name: run }, { ...extent, last: revision, descendants });
  const isThere = shared.history.revision >= 0;
  const stages = shared.history.stages
    .filter((one) => one.stage <= stage)
    .map((one) => (one.recorder === run ? { ...one, upto: revision } : one));
  const isShared = (configured: number): boolean => configured <= stage + 1;
  return {
    ...read,
    history: { ...read.history, initial: shared.history.initial, stages },
    opening: shared.opening,
    decisions: shared.decisions.filter((one) => isShared(one.envelope.stage ?? 0)),
    adoptions: new Map([...shared.adoptions].filter(([configured]) => isShared(configured))),
    descriptor: shared.descriptor,
    parent: { run, name: shared.name, stage, isThere },
  };
}

/** Throws NoSuchStage. */
export function stageOf({ run, name, history }: RunRead, stage: number): StageHistory {
  const found = history.stages.find((one) => one.stage === stage);
  if (found !== undefined) return found;
  throw new NoSuchStage({ run, name }, stage, history.stages);
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
