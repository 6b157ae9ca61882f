// The history of a run, folded from its stream: which decisions were made, stage by stage. Everything the loop does next
// follows from this, so that a run that was stopped goes on where it was.
import { type EventData, isOfDecision, type Reading, type TypeName } from '../../../schemas/catalogue.ts';
import type { Cause } from '../../../schemas/envelope.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import { type NewerEvent, newerEvent } from './newer-events.ts';

export type RolloutSpan = Extract<Cause, { stream: string }>;

/** An event of the run's stream, as its data is read today. */
export interface Recorded<Type extends TypeName> {
  readonly id: string;
  readonly revision: number;
  readonly digest: string;
  /** The rollouts it rests on, where it names any among its causes. */
  readonly rollouts?: readonly RolloutSpan[];
  readonly data: EventData[Type];
}

/** What is there of a stage, in the order in which it comes to be. */
export interface StageHistory {
  readonly stage: number;
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
  const seen = { ...history, revision: event.revision };
  const { reading } = event;
  if (!reading.known) {
    const newer = history.newer ?? newerEvent(event);
    return newer === null ? seen : { ...seen, newer };
  }
  const { id, revision, digest, envelope } = event;
  const spans = envelope.causes.filter((cause) => 'stream' in cause);
  const at = { id, revision, digest, ...(spans.length === 0 ? {} : { rollouts: spans }) };
  return folded({ ...seen, failed: null }, reading, at, stageRun(event));
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
      return { ...history, stages: [...history.stages, newStage(stage, { ...at, data: reading.data })] };
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
      return { training: { ...at, data: reading.data } };
    case 'EvaluationRecorded':
      return { evaluations: [...before.evaluations, { ...at, data: reading.data }] };
    case 'EvidenceSealed':
      // A stage is sealed once; a second seal does not count, and `verify` reports it.
      return before.sealed === null ? { sealed: { ...at, data: reading.data } } : {};
    case 'SummaryRecorded':
      return { summaries: [...before.summaries, { ...at, data: reading.data }] };
    case 'StageCompleted':
      return { completed: { ...at, data: reading.data } };
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

/** A stage of which no more is known than that it began. */
export function newStage(stage: number, started: Recorded<'StageStarted'>): StageHistory {
  return {
    stage,
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
