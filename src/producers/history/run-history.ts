// The history of a run, folded from its stream: which decisions were made, stage by stage. Everything the loop does next
// follows from this, so that a run that was stopped goes on where it was; `show`, `why`, reports and the tables of decisions
// say no more than what is in it.
import { type EventData, isOfDecision, type Reading, type TypeName } from '../../../schemas/catalogue.ts';
import type { Cause, Envelope } from '../../../schemas/envelope.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { StoredEvent } from '../../ledger/stored.ts';

export type RolloutSpan = Extract<Cause, { stream: string }>;

/** An event of the run's stream, as its data is read today. */
export interface Recorded<Type extends TypeName> {
  readonly id: string;
  readonly revision: number;
  readonly digest: string;
  /** `run` is the one that recorded it: of a fork, itself or the one whose history it shares. */
  readonly envelope: Pick<Envelope, 'run' | 'stage' | 'at' | 'actor' | 'causes'>;
  /** The rollouts it rests on, where it names any among its causes. */
  readonly rollouts?: readonly RolloutSpan[];
  readonly data: EventData[Type];
}

/** For what a caller describes and nobody recorded. */
export const nowhere: Omit<Recorded<TypeName>, 'data'> = {
  id: '',
  revision: 0,
  digest: '',
  envelope: { run: '', stage: null, at: '', actor: '', causes: [] },
};

/** What is there of a stage, in the order in which it comes to be. */
export interface StageHistory {
  readonly stage: number;
  /** The run that recorded it. What a fork adds to a stage that it shares does not make the stage its own. */
  readonly recorder: string;
  /** The last revision of the recorder that is shared; null: all. */
  readonly upto: number | null;
  /** False where others recorded parts of a stage and never its start: `started` is then empty. */
  readonly began: boolean;
  readonly started: Recorded<'StageStarted'>;
  readonly training: Recorded<'TrainingRecorded'> | null;
  readonly evaluations: readonly Recorded<'EvaluationRecorded'>[];
  readonly sealed: Recorded<'EvidenceSealed'> | null;
  readonly summaries: readonly Recorded<'SummaryRecorded'>[];
  readonly completed: Recorded<'StageCompleted'> | null;
  readonly contexts: readonly Recorded<'ContextRecorded'>[];
  readonly proposals: readonly Recorded<'ProposalRecorded'>[];
  readonly rejections: readonly Recorded<'ProposalRejected'>[];
  /** Engineers that could not answer. */
  readonly errors: readonly Recorded<'ProposalErrored'>[];
  /** The configuration of the stage after it. */
  readonly adopted: Recorded<'ConfigAdopted'> | null;
}

/** As it is read back: nothing in it may be changed. */
export type Descriptor = NonNullable<EventData['RunStarted']['descriptor']>;

/** The decision on a configuration. */
export interface Adoption extends Recorded<'ConfigAdopted'> {
  /** Answers that could not be used, and errors by which there was none, that were there when it was made. What comes later has no part in it. */
  readonly rejections: readonly string[];
}

/** All that was decided in a run, stage by stage, as it was recorded. */
export interface RunHistory {
  readonly run: string;
  readonly started: Recorded<'RunStarted'> | null;
  readonly descriptor: Descriptor | null;
  /** What was asked and answered for the first stage. */
  readonly opening: StageHistory;
  /** The configuration of the first stage. */
  readonly initial: Recorded<'ConfigAdopted'> | null;
  /** Of a fork, with those it shares. */
  readonly stages: readonly StageHistory[];
  /** Every decision there was, in order. */
  readonly decisions: readonly Adoption[];
  /** Evaluations that belong to no stage. */
  readonly outside: readonly Recorded<'EvaluationRecorded'>[];
  readonly completed: Recorded<'RunCompleted'> | null;
  /** How it failed last; null where it never did, or went on since. */
  readonly failed: Recorded<'RunFailed'> | null;
  /** What a fork shares of the run it goes off from, and what that one shares of another, and so on. */
  readonly shares: readonly Parent[];
  /** Of a fork, the run it goes off from, as it was found. */
  readonly parent: ParentFound | null;
  /** The last revision of its stream and the digest of that event; -1 where there is none. */
  readonly revision: number;
  readonly digest: string;
  /** The first event in it that a newer icecore recorded, if any. */
  readonly newer?: NewerEvent;
  /** Events this icecore cannot read. */
  readonly opaque: readonly StoredEvent[];
}

export type Parent = NonNullable<EventData['RunStarted']['parent']>;

interface ParentFound {
  readonly run: string;
  readonly name: string;
  readonly stage: number;
  /** False where the ledger does not have that history. */
  readonly isThere: boolean;
}

export function emptyHistory(run: string): RunHistory {
  return {
    run,
    started: null,
    descriptor: null,
    opening: { ...bareStage(0, nowhere), recorder: run },
    initial: null,
    stages: [],
    decisions: [],
    outside: [],
    completed: null,
    failed: null,
    shares: [],
    parent: null,
    revision: -1,
    digest: '',
    opaque: [],
  };
}

/**
 * The history with one more event. What others record may speak of stages that were never said to start. What a newer icecore
 * wrote decides nothing here: it is noted, and nobody goes on after it.
 */
export function withEvent(history: RunHistory, event: StoredEvent): RunHistory {
  // Whatever follows a failure shows that the run was resumed.
  const seen = { ...history, failed: null, revision: event.revision, digest: event.digest };
  const { reading } = event;
  if (!reading.known) {
    const newer = history.newer ?? newerEvent(event);
    return { ...seen, opaque: [...history.opaque, event], ...(newer === null ? {} : { newer }) };
  }
  return folded(seen, reading, recordedAs(event), stageRun(event));
}

/** An event but for its data. */
export function recordedAs({ id, revision, digest, envelope }: StoredEvent): Omit<Recorded<TypeName>, 'data'> {
  const spans = envelope.causes.filter((cause) => 'stream' in cause);
  return { id, revision, digest, envelope, ...(spans.length === 0 ? {} : { rollouts: spans }) };
}

/** The stage that was run when an event was made: of a decision, the one before the stage that it configures; 0: none. */
export function stageRun({ envelope: { type, stage } }: Pick<StoredEvent, 'envelope'>): number {
  return (stage ?? 0) - (isOfDecision(type) ? 1 : 0);
}

function folded(
  history: RunHistory,
  reading: Extract<Reading, { known: true }>,
  at: Omit<Recorded<TypeName>, 'data'>,
  stage: number,
): RunHistory {
  switch (reading.type) {
    case 'RunStarted':
      return {
        ...history,
        started: { ...at, data: reading.data },
        descriptor: reading.data.descriptor ?? history.descriptor,
      };
    case 'StageStarted':
      return withStart(history, stage, { ...at, data: reading.data });
    case 'ConfigAdopted':
      return withAdopted(history, { ...at, data: reading.data }, stage);
    case 'RunCompleted':
      return { ...history, completed: { ...at, data: reading.data } };
    case 'RunFailed':
      return { ...history, failed: { ...at, data: reading.data } };
    default:
      return withPart(history, reading, at, stage);
  }
}

function withPart(
  history: RunHistory,
  reading: Extract<Reading, { known: true }>,
  at: Omit<Recorded<TypeName>, 'data'>,
  stage: number,
): RunHistory {
  if (reading.type === 'EvaluationRecorded' && at.envelope.stage === null)
    return { ...history, outside: [...history.outside, { ...at, data: reading.data }] };
  const { opening, stages } = history;
  const isFirst = at.envelope.stage === 1 && stage === 0;
  const before = isFirst ? opening : (stageAt(history, stage) ?? bareStage(stage, at));
  const change = stageWith(before, reading, at);
  if (change === null) return history;
  if (isFirst) return { ...history, opening: { ...opening, ...change } };
  if (stages.includes(before)) return inStage(history, stage, () => change);
  return stage < 1 ? history : { ...history, stages: [...stages, { ...before, ...change }] };
}

/** A stage starts once; others may have recorded parts of it before. */
function withStart(history: RunHistory, stage: number, started: Recorded<'StageStarted'>): RunHistory {
  const known = stageAt(history, stage);
  if (known === null) return { ...history, stages: [...history.stages, newStage(stage, started)] };
  if (known.began || known.recorder !== started.envelope.run) return history;
  return inStage(history, stage, () => ({ started, began: true }));
}

function withAdopted(history: RunHistory, adopted: Recorded<'ConfigAdopted'>, stage: number): RunHistory {
  const before = askedFor(history, stage + 1);
  const rejections = [...(before?.rejections ?? []), ...(before?.errors ?? [])].map(({ id }) => id);
  const decided = { ...history, decisions: [...history.decisions, { ...adopted, rejections }] };
  return stage === 0 ? { ...decided, initial: adopted } : inStage(decided, stage, () => ({ adopted }));
}

/** The stage before, which holds what was asked and answered for a stage; null where nothing was. */
export function askedFor(history: RunHistory, stage: number): StageHistory | null {
  return stage === 1 ? history.opening : stageAt(history, stage - 1);
}

/** As the run recorded it when it began, or else as its environment is now. */
export function descriptorOf({ started }: RunHistory, environment: { readonly descriptor: Descriptor }): Descriptor {
  return started?.data.descriptor ?? environment.descriptor;
}

/** The decision on the configuration of a stage; null where there is none. */
export function adoptionFor(history: RunHistory, stage: number): Recorded<'ConfigAdopted'> | null {
  return stage === 1 ? history.initial : (stageAt(history, stage - 1)?.adopted ?? null);
}

export function stageAt({ stages }: Pick<RunHistory, 'stages'>, stage: number | null): StageHistory | null {
  return stages.find((one) => one.stage === stage) ?? null;
}

/** Null for an event that is not about a stage, nor about what was made of it for the next. */
function stageWith(
  before: StageHistory,
  reading: Extract<Reading, { known: true }>,
  at: Omit<Recorded<TypeName>, 'data'>,
): Partial<StageHistory> | null {
  switch (reading.type) {
    case 'TrainingRecorded':
      return { training: ofRecorder(before, before.training, { ...at, data: reading.data }) };
    case 'EvaluationRecorded':
      return { evaluations: [...before.evaluations, { ...at, data: reading.data }] };
    case 'EvidenceSealed':
      // A stage is sealed once; a second seal does not count, and `verify` reports it.
      return before.sealed === null ? { sealed: { ...at, data: reading.data } } : {};
    case 'SummaryRecorded':
      return { summaries: [...before.summaries, { ...at, data: reading.data }] };
    case 'StageCompleted':
      return { completed: ofRecorder(before, before.completed, { ...at, data: reading.data }) };
    case 'ContextRecorded':
      return { contexts: [...before.contexts, { ...at, data: reading.data }] };
    case 'ProposalRecorded':
      return { proposals: [...before.proposals, { ...at, data: reading.data }] };
    case 'ProposalRejected':
      return { rejections: [...before.rejections, { ...at, data: reading.data }] };
    case 'ProposalErrored':
      return { errors: [...before.errors, { ...at, data: reading.data }] };
    default:
      return null;
  }
}

/** The later one, but for what a fork adds to a stage that it shares and that has one. */
function ofRecorder<Event extends Recorded<TypeName>>(
  { recorder }: StageHistory,
  known: Event | null,
  added: Event,
): Event {
  return known?.envelope.run === recorder && added.envelope.run !== recorder ? known : added;
}

/** A stage that somebody recorded something of, and never its start. */
export function bareStage(stage: number, at: Omit<Recorded<TypeName>, 'data'>): StageHistory {
  return { ...newStage(stage, { ...at, data: {} }), began: false };
}

/** A stage of which no more is known than that it began. */
export function newStage(stage: number, started: Recorded<'StageStarted'>): StageHistory {
  return {
    stage,
    recorder: started.envelope.run ?? '',
    upto: null,
    began: true,
    started,
    training: null,
    evaluations: [],
    sealed: null,
    summaries: [],
    completed: null,
    contexts: [],
    proposals: [],
    rejections: [],
    errors: [],
    adopted: null,
  };
}

/** The history with something else in a stage. */
export function inStage(
  history: RunHistory,
  stage: number,
  change: (before: StageHistory) => Partial<StageHistory>,
): RunHistory {
  return {
    ...history,
    stages: history.stages.map((one) => (one.stage === stage ? { ...one, ...change(one) } : one)),
  };
}

/** The first event of a stream that a newer icecore recorded. */
export interface NewerEvent {
  readonly type: string;
  readonly version: number;
  readonly stream: string;
  readonly revision: number;
}

/** Null for what is known, and for what is not as its type declares, which no newer icecore could read either. */
export function newerEvent({ reading, stream, revision }: StoredEvent): NewerEvent | null {
  if (reading.known || reading.why === 'unreadable') return null;
  const { type, version } = reading;
  return { type, version, stream, revision };
}

export class NewerHistory extends IcecoreError {
  override readonly name = 'NewerHistory';

  constructor(what: string, { type, version, stream, revision }: NewerEvent) {
    const event = `${type} version ${version} at ${stream}@${revision}`;
    super('newer-format', `${what} has an event that this icecore does not know: ${event}`, {
      facts: { type, version, stream, revision },
      remedy:
        'Go on with it in the icecore that recorded it. Here it can be looked at, and forked at a stage before that event.',
    });
  }
}
