// The event catalogue: every event type, how it is checked on writing and how it is read.
import type { z } from 'zod';
import {
  ablationCompleted,
  ablationStarted,
  armErrored,
  armEvaluated,
  armProposed,
  armRejected,
  armTrained,
} from './ablation.ts';
import { modelAnswered } from './answer.ts';
import { type Check, checkAgainst } from './check.ts';
import type { NewEvent, RecordedEvent } from './envelope.ts';
import { failureRecorded, rolloutRecorded } from './evidence.ts';
import { type CatalogueType, currentVersion, type EventType } from './family.ts';
import { redacted, runAnnotated } from './notes.ts';
import { proposalErrored, proposalRecorded, proposalRejected } from './proposal.ts';
import { type KnownReading, type OpaqueReading, readAgainst } from './reading.ts';
import type { ReadonlyDeep } from './readonly.ts';
import {
  configAdopted,
  evidenceSealed,
  runCompleted,
  runFailed,
  runStarted,
  runTakenOver,
  stageCompleted,
  stageStarted,
} from './run.ts';
import { contextRecorded, summaryRecorded } from './summary.ts';
import { evaluationRecorded, trainingRecorded } from './training.ts';
import { attemptFinished, runClaimed, shardClaimed, shardCompleted } from './work.ts';

const declared = {
  RunStarted: runStarted,
  StageStarted: stageStarted,
  TrainingRecorded: trainingRecorded,
  EvaluationRecorded: evaluationRecorded,
  EvidenceSealed: evidenceSealed,
  SummaryRecorded: summaryRecorded,
  ContextRecorded: contextRecorded,
  ProposalRecorded: proposalRecorded,
  ProposalRejected: proposalRejected,
  ProposalErrored: proposalErrored,
  ConfigAdopted: configAdopted,
  StageCompleted: stageCompleted,
  RunCompleted: runCompleted,
  RunFailed: runFailed,
  RunTakenOver: runTakenOver,
  RolloutRecorded: rolloutRecorded,
  FailureRecorded: failureRecorded,
  RunClaimed: runClaimed,
  ShardClaimed: shardClaimed,
  ShardCompleted: shardCompleted,
  AttemptFinished: attemptFinished,
  RunAnnotated: runAnnotated,
  Redacted: redacted,
  ModelAnswered: modelAnswered,
  AblationStarted: ablationStarted,
  ArmProposed: armProposed,
  ArmRejected: armRejected,
  ArmErrored: armErrored,
  ArmTrained: armTrained,
  ArmEvaluated: armEvaluated,
  AblationCompleted: ablationCompleted,
} as const;

/** The name of one of icecore's own event types. */
export type TypeName = keyof typeof declared;

/** The data of each type, in its current version. */
export type EventData = {
  readonly [Type in TypeName]: (typeof declared)[Type] extends EventType<infer Schema>
    ? ReadonlyDeep<z.infer<Schema>>
    : never;
};

/** An event of one type as a writer provides it: `NewEventOf<'RolloutRecorded'>`. */
export type NewEventOf<Type extends TypeName> = NewEvent<EventData[Type]> & { readonly type: Type };

/** An event of one type as readers get it. */
export type RecordedEventOf<Type extends TypeName> = RecordedEvent<EventData[Type]> & { readonly type: Type };

/** Data of a known type in its current version, or opaque: `reading.known && reading.type === 'RolloutRecorded'`. */
export type Reading = { readonly [Type in TypeName]: KnownReading<Type, EventData[Type]> }[TypeName] | OpaqueReading;

/** icecore's own event types, by name. */
export const eventTypes: ReadonlyMap<string, CatalogueType> = new Map<string, CatalogueType>(Object.entries(declared));

/** The version in which events of a type are written. */
export function versionOf(type: TypeName): number {
  return currentVersion(declared[type]);
}

/** The types whose `stage` is the stage being configured: they are made from the history through the stage before it. */
const ofDecisions: ReadonlySet<string> = new Set<TypeName>([
  ...(['SummaryRecorded', 'ContextRecorded', 'ProposalRecorded', 'ProposalRejected', 'ProposalErrored'] as const),
  ...(['ConfigAdopted', 'ArmProposed', 'ArmRejected', 'ArmErrored'] as const),
]);

export function isOfDecision(type: string): boolean {
  return ofDecisions.has(type);
}

/** The code of a type within ids that icecore makes. */
export function codeOf(type: TypeName): number {
  return declared[type].code;
}

/** Lists everything that is wrong with a new event for a stream; empty if it may be written. */
export const checkEvent: Check = checkAgainst(eventTypes);

/** The same without the search for keys named `__proto__` in free parts of the data, which the event's text shows cheaply. */
export const checkEventFields: Check = checkAgainst(eventTypes, () => false);

/** Converts data of any version to the current one. Unknown data stays unchanged; never throws. */
export function readEvent(type: string, version: number, data: unknown): Reading {
  return readAgainst(eventTypes, type, version, data) as Reading;
}
