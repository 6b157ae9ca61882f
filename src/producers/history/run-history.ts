// The history of a run, folded from its stream: the decisions, stage by stage. The loop's next step follows from it, so
// that an interrupted run can resume; `show`, `why`, reports and the tables of decisions are based on it.
import { type EventData, isOfDecision, type Reading, type TypeName } from '../../../schemas/catalogue.ts';
import type { Cause, Envelope } from '../../../schemas/envelope.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { StoredEvent } from '../../ledger/stored.ts';

export type RolloutSpan = Extract<Cause, { stream: string }>;

/** An event of the run's stream with its data in the current schema version. */
export interface Recorded<Type extends TypeName> {
  readonly id: string;
  readonly revision: number;
  readonly digest: string;
  /** `run` is the recorder: for a fork, the fork itself or the run whose history it shares. */
  readonly envelope: Pick<Envelope, 'run' | 'stage' | 'at' | 'actor' | 'causes'>;
  /** The rollouts it is based on, if its causes name any. */
  readonly rollouts?: readonly RolloutSpan[];
  readonly data: EventData[Type];
}

/** For data that a caller provides and no event contains. */
export const nowhere: Omit<Recorded<TypeName>, 'data'> = {
  id: '',
  revision: 0,
  digest: '',
  envelope: { run: '', stage: null, at: '', actor: '', causes: [] },
};

/** The parts of a stage, in the order in which they are recorded. */
export interface StageHistory {
  readonly stage: number;
  /** The run that recorded it. Events that a fork adds to a shared stage do not change that. */
  readonly recorder: string;
  /** The last shared revision of the recorder; null for all. */
  readonly upto: number | null;
  /** False if parts of a stage were recorded without its start: `started` is then empty. */
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
  /** The configuration of the next stage. */
  readonly adopted: Recorded<'ConfigAdopted'> | null;
}

/** As read from the ledger; read-only. */
export type Descriptor = NonNullable<EventData['RunStarted']['descriptor']>;

/** The decision about a configuration. */
export interface Adoption extends Recorded<'ConfigAdopted'> {
  /** The rejections and errors that existed when it was made. Later ones do not count. */
  readonly rejections: readonly string[];
}

/** All decisions of a run, stage by stage, as recorded. */
export interface RunHistory {
  readonly run: string;
  readonly started: Recorded<'RunStarted'> | null;
  readonly descriptor: Descriptor | null;
  /** Questions and answers for the first stage. */
  readonly opening: StageHistory;
  /** The configuration of the first stage. */
  readonly initial: Recorded<'ConfigAdopted'> | null;
  /** For a fork, including the shared ones. */
  readonly stages: readonly StageHistory[];
  /** All decisions, in order. */
  readonly decisions: readonly Adoption[];
  /** Evaluations that belong to no stage. */
  readonly outside: readonly Recorded<'EvaluationRecorded'>[];
  readonly completed: Recorded<'RunCompleted'> | null;
  /** The last failure; null if there was none or the run has continued since. */
  readonly failed: Recorded<'RunFailed'> | null;
  /** The shared part of a fork's parent, of the parent's parent, and so on. */
  readonly shares: readonly Parent[];
  /** For a fork, the state of its parent. */
  readonly parent: ParentFound | null;
  /** The last revision of its stream and the digest of that event; -1 if it is empty. */
  readonly revision: number;
  readonly digest: string;
  /** The first event recorded by a newer version, if any. */
  readonly newer?: NewerEvent;
  /** Events that this version cannot read. */
  readonly opaque: readonly StoredEvent[];
}

export type Parent = NonNullable<EventData['RunStarted']['parent']>;

interface ParentFound {
  readonly run: string;
  readonly name: string;
  readonly stage: number;
  /** False if the ledger does not have that history. */
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
 * The history with one more event. External recorders may refer to stages without a recorded start. An event from a
 * newer version is noted without being applied, and the run cannot continue after it.
 */
export function withEvent(history: RunHistory, event: StoredEvent): RunHistory {
  // Any event after a failure shows that the run was resumed.
  const seen = { ...history, failed: null, revision: event.revision, digest: event.digest };
  const { reading } = event;
  if (!reading.known) {
    const newer = history.newer ?? newerEvent(event);
    return { ...seen, opaque: [...history.opaque, event], ...(newer === null ? {} : { newer }) };
  }
  return folded(seen, reading, recordedAs(event), stageRun(event));
}

/** An event without its data. */
export function recordedAs({ id, revision, digest, envelope }: StoredEvent): Omit<Recorded<TypeName>, 'data'> {
  const spans = envelope.causes.filter((cause) => 'stream' in cause);
  return { id, revision, digest, envelope, ...(spans.length === 0 ? {} : { rollouts: spans }) };
}

/**
 * The stage during which an event was made: for a decision, the one before the stage that it configures; 0 for none.
 */
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

/** A stage starts once; parts of it may have been recorded before. */
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

/** The stage before, which contains the questions and answers for a stage; null if there is none. */
export function askedFor(history: RunHistory, stage: number): StageHistory | null {
  return stage === 1 ? history.opening : stageAt(history, stage - 1);
}

/** As the run recorded it at its start, otherwise the environment's current one. */
export function descriptorOf({ started }: RunHistory, environment: { readonly descriptor: Descriptor }): Descriptor {
  return started?.data.descriptor ?? environment.descriptor;
}

/** The configuration decision for a stage; null if there is none. */
export function adoptionFor(history: RunHistory, stage: number): Recorded<'ConfigAdopted'> | null {
  return stage === 1 ? history.initial : (stageAt(history, stage - 1)?.adopted ?? null);
}

export function stageAt({ stages }: Pick<RunHistory, 'stages'>, stage: number | null): StageHistory | null {
  return stages.find((one) => one.stage === stage) ?? null;
}

/** Null for an event that concerns neither a stage nor the decision after it. */
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

/** The later event, except for one that a fork adds to a shared stage that already has one. */
function ofRecorder<Event extends Recorded<TypeName>>(
  { recorder }: StageHistory,
  known: Event | null,
  added: Event,
): Event {
  return known?.envelope.run === recorder && added.envelope.run !== recorder ? known : added;
}

/** A stage without a recorded start. */
export function bareStage(stage: number, at: Omit<Recorded<TypeName>, 'data'>): StageHistory {
  return { ...newStage(stage, { ...at, data: {} }), began: false };
}

/** A stage of which only the start is known. */
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

/** The history with a change in one stage. */
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

/** The first event of a stream that a newer version recorded. */
export interface NewerEvent {
  readonly type: string;
  readonly version: number;
  readonly stream: string;
  readonly revision: number;
}

/** Null for a known event, and for one that contradicts its type, which a newer version could not read either. */
export function newerEvent({ reading, stream, revision }: StoredEvent): NewerEvent | null {
  if (reading.known || reading.why === 'unreadable') return null;
  const { type, version } = reading;
  return { type, version, stream, revision };
}

export class NewerHistory extends IcecoreError {
  override readonly name = 'NewerHistory';

  constructor(what: string, { type, version, stream, revision }: NewerEvent) {
    const event = `${type} version ${version} at ${stream}@${revision}`;
    super('newer-format', `${what} has an event that this version of icecore does not know: ${event}`, {
      facts: { type, version, stream, revision },
      remedy:
        'Continue it with the icecore version that recorded it. This version can show it, and fork it at a stage before that event.',
    });
  }
}
