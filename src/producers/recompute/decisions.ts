// Checks everything in a run that follows from its settings or from earlier events: seeds, budgets, adopted
// configurations, stage results, and the scores of proposals.

import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import type { RunSettings } from '../../../schemas/run-file.ts';
import { differences } from '../../lab/environments/configuration.ts';
import { recordedConfiguration } from '../../lab/environments/knobs.ts';
import type { Registry } from '../../lab/registry.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import { adoptionFor, type Recorded, type RunHistory, stageAt, stageRun } from '../history/run-history.ts';
import { type EvidenceIds, scoresOf } from '../proposals/scores.ts';
import { poolSeed, seedOf } from '../run/pools.ts';
import { scoringIn } from '../run/question.ts';
import { required, stageIn } from '../run/session.ts';
import { adoptFirst, complete, completeStage, runActor, startStage } from '../run/steps/bounds.ts';
import { probeHoldout, validation } from '../run/steps/evaluate.ts';
import { adopt } from '../run/steps/propose.ts';
import { trainerInForce, trainerKnobsOf } from '../trainers/trainers.ts';
import type { Account } from './account.ts';
import type { Audits } from './trainings.ts';

interface SettingsCheck {
  readonly event: StoredEvent;
  /** Before the event. */
  readonly history: RunHistory;
  readonly stage: number;
  readonly settings: RunSettings;
  readonly account: Account;
}

/** `descriptor` is the environment's current one; null if it is not available. */
export function recomputeStart(
  { event, settings, account }: Omit<SettingsCheck, 'history' | 'stage'>,
  data: EventData['RunStarted'],
  descriptor: Descriptor | null,
): void {
  const { seed, stages, budget } = settings;
  const recorded = { seed: data.seed, stages: data.stages, budget: data.budget };
  account.hold(event, 'recomputed-decision', recorded, { seed, stages, budget });
  if (descriptor !== null) account.hold(event, 'recomputed-decision', data.descriptor, descriptor, 'data.descriptor');
}

interface TrainingSettingsCheck extends SettingsCheck {
  readonly registry: Registry;
  readonly audits: Audits;
}

export function recomputeTrainingSettings(of: TrainingSettingsCheck, data: EventData['TrainingRecorded']): void {
  const { event, history, stage, settings, account, registry, audits } = of;
  if (event.envelope.actor !== 'producer/training') return;
  const { trainer, budget, seed, configuration, checkpoint, from } = data;
  const began = history.started?.data.trainer;
  const current = stageAt(history, stage)?.started.data.configuration;
  const before = stageAt(history, stage - 1)?.completed?.data.checkpoint;
  const recorded = { trainer, budget, seed, configuration, checkpoint: placeOfCheckpoint(checkpoint) };
  const last = audits.get(trainer?.name ?? '')?.lastStep(data.spent ?? {});
  account.hold(event, 'recomputed-training', recorded, {
    trainer: began && trainerInForce(began, current?.whole ?? {}, trainerKnobsOf(settings.trainer, registry)),
    budget: settings.budget,
    seed: seedOf(settings.seed, 'train', stage),
    configuration: current?.digest,
    checkpoint: checkpoint ? placeOfCheckpoint({ ...checkpoint, stage, step: last ?? checkpoint.step }) : {},
  });
  if (before) account.hold(event, 'recomputed-training', bytesOf(from), bytesOf(before), 'data.from');
}

type Checkpoint = EventData['TrainingRecorded']['checkpoint'];

function placeOfCheckpoint(checkpoint: Checkpoint): object {
  return { stage: checkpoint?.stage, step: checkpoint?.step };
}

function bytesOf(checkpoint: Checkpoint): object {
  const { digest, bytes, stage, step } = checkpoint ?? {};
  return { digest, bytes, stage, step };
}

export function recomputeEvaluationSettings(of: SettingsCheck, data: EventData['EvaluationRecorded']): void {
  const { event, history, stage, settings, account } = of;
  if (event.envelope.actor !== 'producer/evaluation') return;
  const { suite, seed, samples, checkpoint } = data;
  const trained = stageAt(history, stage)?.training?.data.checkpoint;
  const recorded = { seed, samples, parameters: suite.parameters, checkpoint: bytesOf(checkpoint) };
  account.hold(event, 'recomputed-evaluation', recorded, {
    seed: seedOf(settings.seed, `evaluate ${suite.name}`, stage),
    samples: suite.name === probeHoldout ? settings.samples : 1,
    parameters: parametersOf(suite.name, settings) ?? suite.parameters,
    checkpoint: bytesOf(checkpoint && trained ? trained : checkpoint),
  });
}

/** Undefined for benchmarks, which the environment defines. */
function parametersOf(name: string, { validation: count, perCell }: RunSettings): object | undefined {
  if (name === validation) return { count, seed: poolSeed };
  return name === probeHoldout ? { perCell, seed: poolSeed } : undefined;
}

interface DecisionCheck {
  readonly event: StoredEvent;
  /** Before the event. */
  readonly history: RunHistory;
  readonly settings: RunSettings;
  readonly descriptor: Descriptor;
  readonly account: Account;
}

type Configuration = EventData['ConfigAdopted']['configuration'];

/** Ignores other events. */
export function recomputeDecision(of: DecisionCheck): void {
  const { event, account } = of;
  const { reading } = event;
  if (!reading.known) return;
  const computed = following(of);
  if (computed === null) return;
  if (event.envelope.actor !== runActor) {
    decidedByHand(of);
    return;
  }
  account.again('decisions');
  const { measured: _, ...recorded } = reading.data as Readonly<Record<string, unknown>>;
  account.hold(event, 'recomputed-decision', recorded, computed());
}

/** A person's decision follows from nothing, but must be consistent. */
function decidedByHand({ event, history, descriptor, account }: DecisionCheck): void {
  const { reading, envelope } = event;
  if (!reading.known || reading.type !== 'ConfigAdopted') {
    account.skip(event, 'decisions', `made by ${envelope.actor}`);
    return;
  }
  account.again('decisions');
  const { configuration, previous } = reading.data;
  const current = required(stageIn(history, stageRun(event)).started.data.configuration, 'a configuration');
  const again = { configuration: recordedConfiguration(descriptor, configuration.whole), previous: current.digest };
  account.hold(event, 'recomputed-decision', { configuration, previous }, again);
}

/** Computes the expected data lazily; null if nothing follows. */
function following({ event, history, settings, descriptor }: DecisionCheck): (() => object) | null {
  const { reading } = event;
  const stage = stageRun(event);
  const lab = { environment: { descriptor } };
  switch (reading.known ? reading.type : null) {
    case 'ConfigAdopted':
      return () => (stage > 0 ? adopt({ run: history.run, history }, stage) : adoptFirst({ settings, lab })).data;
    case 'StageStarted':
      // Exactly the adopted configuration.
      return () => ({
        ...startStage({ history, settings, lab }, stage).data,
        configuration: adoptionFor(history, stage)?.data.configuration,
      });
    case 'StageCompleted':
      return () => completeStage({ history }, stage).data;
    case 'RunCompleted':
      return () => complete({ history }).data;
    default:
      return null;
  }
}

export interface ProposalCheck extends DecisionCheck {
  readonly data: EventData['ProposalRecorded'];
  readonly stage: number;
  /** In addition to those of the run. */
  readonly contexts?: readonly Recorded<'ContextRecorded'>[];
}

/** Checks the consistency of its configuration, its changes from the current configuration, and its scores. */
export function recomputeProposal(of: ProposalCheck): void {
  const { event, history, stage, descriptor, data, account, contexts = [] } = of;
  const { configuration, predictions, scores, changes } = data;
  const evidenceIds = evidenceIdsOf(history, contexts, data);
  if (scores === undefined || evidenceIds === undefined) {
    const why = scores === undefined ? 'recorded without scores' : 'the context they refer to is not in the run';
    account.skip(event, 'proposals', why);
    return;
  }
  account.again('proposals');
  const before = stageIn(history, stage);
  const current = required(before.started.data.configuration, `the configuration of stage ${stage}`);
  const recorded = { configuration, changes: turns(changes) };
  const computed = changed(descriptor, current, configuration);
  account.hold(event, 'recomputed-decision', recorded, computed);
  const again = scoresOf({
    descriptor,
    current: current.whole,
    decision: { ...data, configuration: configuration.whole },
    predictions,
    evidenceIds,
    ...scoringIn(before),
  });
  account.hold(event, 'recomputed-scores', scores, again, 'data.scores');
  holdCheckpoint(of);
}

/** A checkpoint with the weights of a training of the run must name its stage and update. */
function holdCheckpoint({ event, history, data: { engineer }, account }: ProposalCheck): void {
  const { digest, stage, step } = engineer.checkpoint ?? {};
  const trainings = history.stages.flatMap(({ training }) => training?.data ?? []);
  const same = trainings
    .flatMap(({ from, checkpoint }) => [from, checkpoint])
    .find((one) => digest !== undefined && one?.digest === digest);
  if (!same) return;
  const made = { stage: same.stage, step: same.step };
  account.hold(event, 'recomputed-decision', { stage, step }, made, 'data.engineer.checkpoint');
}

/** Null if no context was shown; undefined if the context is missing. */
export function evidenceIdsOf(
  { stages }: RunHistory,
  contexts: readonly Recorded<'ContextRecorded'>[],
  { context }: EventData['ProposalRecorded'],
): EvidenceIds | null | undefined {
  if (context === null) return null;
  const all = [...stages.flatMap((stage) => stage.contexts), ...contexts];
  return all.find(({ id }) => id === context.event)?.data.evidenceIds;
}

function changed(descriptor: Descriptor, current: Configuration, { whole }: Configuration): object {
  return {
    configuration: recordedConfiguration(descriptor, whole),
    changes: turns(differences(descriptor, current.whole, whole)),
  };
}

type Turn = Pick<EventData['ProposalRecorded']['changes'][number], 'knob' | 'family' | 'from' | 'to'>;

function turns(changes: readonly Turn[]): readonly Turn[] {
  return changes.map(({ knob, family, from, to }) => ({ knob, family, from, to }));
}
