// What a run was set to, compared with every event that says it again: the seeds, budgets and numbers of tasks that its steps
// were taken with follow from the settings of the run, and from nothing else.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import type { RunSettings } from '../../../schemas/run-file.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import type { RunHistory } from '../run/history.ts';
import { poolSeed, seedOf } from '../run/seeds.ts';
import { probeHoldout, validation } from '../run/steps/evaluate.ts';
import { trainerInForce } from '../trainers/knobs.ts';
import type { Account } from './account.ts';

export interface SettingsAgain {
  readonly event: StoredEvent;
  /** Before it. */
  readonly history: RunHistory;
  readonly stage: number;
  readonly settings: RunSettings;
  readonly account: Account;
}

/** `descriptor`: what the environment says of itself today; null where it cannot be asked. */
export function recomputeStart(
  { event, settings, account }: Omit<SettingsAgain, 'history' | 'stage'>,
  data: EventData['RunStarted'],
  descriptor: Descriptor | null,
): void {
  const { seed, stages, budget } = settings;
  const recorded = { seed: data.seed, stages: data.stages, budget: data.budget };
  account.hold(event, 'recomputed-decision', recorded, { seed, stages, budget });
  if (descriptor !== null) account.hold(event, 'recomputed-decision', data.descriptor, descriptor, 'data.descriptor');
}

export function recomputeTrainingSettings(of: SettingsAgain, data: EventData['TrainingRecorded']): void {
  const { event, history, stage, settings, account } = of;
  if (event.envelope.actor !== 'producer/training') return;
  const { trainer, budget, seed, configuration, checkpoint, from } = data;
  const began = history.started?.data.trainer;
  const current = history.stages.find((one) => one.stage === stage)?.started.data.configuration;
  const before = history.stages.find((one) => one.stage === stage - 1)?.completed?.data.checkpoint;
  const recorded = { trainer, budget, seed, configuration, checkpoint: placeOfCheckpoint(checkpoint) };
  account.hold(event, 'recomputed-training', recorded, {
    trainer: began && trainerInForce(began, current?.whole ?? {}, settings.trainer),
    budget: settings.budget,
    seed: seedOf(settings.seed, 'train', stage),
    configuration: current?.digest,
    checkpoint: checkpoint ? placeOfCheckpoint({ ...checkpoint, stage, step: lastStep(data) ?? checkpoint.step }) : {},
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

/** The built-in trainer leaves what its last update came to; others may leave any. */
function lastStep({ trainer, spent }: EventData['TrainingRecorded']): number | undefined {
  return trainer?.name === 'grpo' ? spent?.['updates'] : undefined;
}

export function recomputeEvaluationSettings(of: SettingsAgain, data: EventData['EvaluationRecorded']): void {
  const { event, history, stage, settings, account } = of;
  if (event.envelope.actor !== 'producer/evaluation') return;
  const { suite, seed, samples, checkpoint } = data;
  const trained = history.stages.find((one) => one.stage === stage)?.training?.data.checkpoint;
  const recorded = { seed, samples, parameters: suite.parameters, checkpoint: bytesOf(checkpoint) };
  account.hold(event, 'recomputed-evaluation', recorded, {
    seed: seedOf(settings.seed, `evaluate ${suite.name}`, stage),
    samples: suite.name === probeHoldout ? settings.samples : 1,
    parameters: parametersOf(suite.name, settings) ?? suite.parameters,
    checkpoint: bytesOf(checkpoint && trained ? trained : checkpoint),
  });
}

/** Undefined for benchmarks, which the environment knows. */
function parametersOf(name: string, { validation: count, perCell }: RunSettings): object | undefined {
  if (name === validation) return { count, seed: poolSeed };
  return name === probeHoldout ? { perCell, seed: poolSeed } : undefined;
}
