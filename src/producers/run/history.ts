// The history of a run, folded from its stream: which decisions were made, stage by stage. Everything the loop does next
// follows from this, so that a run that was stopped goes on where it was.
import { type EventData, isOfDecision, type Reading, type TypeName } from '../../../schemas/catalogue.ts';
import type { Cause, Envelope } from '../../../schemas/envelope.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import { type NewerEvent, newerEvent } from './newer-events.ts';

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

export interface RunHistory {
  readonly run: string;
  readonly started: Recorded<'RunStarted'> | null;
  /** The configuration of the first stage. */
  readonly initial: Recorded<'ConfigAdopted'> | null;
  readonly stages: readonly StageHistory[];
  readonly completed: Recorded<'RunCompleted'> | null;
  /** How it failed last; null where it never did, or went on since. */
  readonly failed: Recorded<'RunFailed'> | null;
  /** What a fork shares of the run it goes off from, and what that one shares of another, and so on. */
  readonly shares: readonly Parent[];
  /** The last revision of its stream; -1 where there is none. */
  readonly revision: number;
  /** The first event in it that a newer icecore recorded, if any. */
  readonly newer?: NewerEvent;
}

export type Parent = NonNullable<EventData['RunStarted']['parent']>;

export function emptyHistory(run: string): RunHistory {
  return { run, started: null, initial: null, stages: [], completed: null, failed: null, shares: [], revision: -1 };
}

/** The history with one more event. What a newer icecore wrote decides nothing here: it is noted, and nobody goes on after it. */
export function withEvent(history: RunHistory, event: StoredEvent): RunHistory {
  // Whatever follows a failure shows that the run was resumed.
  const seen = { ...history, failed: null, revision: event.revision };
  const { reading } = event;
  if (!reading.known) {
    const newer = history.newer ?? newerEvent(event);
    return newer === null ? seen : { ...seen, newer };
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
      return { ...history, started: { ...at, data: reading.data } };
    case 'StageStarted':
      return withStart(history, stage, { ...at, data: reading.data });
    case 'ConfigAdopted':
      return withAdopted(history, { ...at, data: reading.data }, stage);
    case 'RunCompleted':
      return { ...history, completed: { ...at, data: reading.data } };
    case 'RunFailed':
      return { ...history, failed: { ...at, data: reading.data } };
    default:
      return inStage(history, stage, (before) => stageWith(before, reading, at));
  }
}

/** A stage starts once; others may have recorded parts of it before. */
function withStart(history: RunHistory, stage: number, started: Recorded<'StageStarted'>): RunHistory {
  const known = history.stages.find((one) => one.stage === stage);
  if (known === undefined) return { ...history, stages: [...history.stages, newStage(stage, started)] };
  if (known.began || known.recorder !== started.envelope.run) return history;
  return inStage(history, stage, () => ({ started, began: true }));
}

function withAdopted(history: RunHistory, adopted: Recorded<'ConfigAdopted'>, stage: number): RunHistory {
  return stage === 0 ? { ...history, initial: adopted } : inStage(history, stage, () => ({ adopted }));
}

function stageWith(
  before: StageHistory,
  reading: Extract<Reading, { known: true }>,
  at: Omit<Recorded<TypeName>, 'data'>,
): Partial<StageHistory> {
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
      return {};
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

/** A stage of which no more is known than that it began. */
export function newStage(stage: number, started: Recorded<'StageStarted'>, began = true): StageHistory {
  return {
    stage,
    recorder: started.envelope.run ?? '',
    upto: null,
    began,
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

function inStage(
  history: RunHistory,
  stage: number,
  change: (before: StageHistory) => Partial<StageHistory>,
): RunHistory {
  return {
    ...history,
    stages: history.stages.map((one) => (one.stage === stage ? { ...one, ...change(one) } : one)),
  };
}
