// The embedded trainer: GRPO on the lake. Several plans for every instance are compared with one another, and those with higher rewards
// become more likely. Updates continue until the budget of agent steps is used up.

import { availableParallelism } from 'node:os';
import { CanonicalText, canonicalJson } from '../../schemas/canonical.ts';
import {
  BadBudget,
  type Budget,
  type Checkpoint,
  type Progress,
  type Trained,
  type Trainer,
  TrainerClosed,
  type TrainingRollout,
  type TrainRequest,
} from '../../src/library/plugins/tools.ts';
import { checkedLake } from '../lake/configuration.ts';
import { readCheckpoint } from '../neural/checkpoint.ts';
import { freshWeights } from '../neural/network.ts';
import { curriculumOf, grpoComponent } from './batches.ts';
import { descend, newAdam } from './learner.ts';
import { LearnerPool } from './learner-pool.ts';
import { TrainingRecord } from './progress.ts';
import { type GivenSettings, type Settings, settingsWith, shards } from './settings.ts';
import { digestOf, keep, latestIn, type Snapshot, type State, snapshotIn } from './state.ts';

/** Change it when the same request leads to another checkpoint. */
const grpoVersion = '1';

/** The rate at which the averaged weights follow the trained ones with every update. */
const averageRate = 0.02;

/** The approximate length of a list of rollouts. */
const batch = 2000;

interface GrpoOptions {
  readonly settings?: GivenSettings;
  /** Does not affect the result. */
  readonly threads?: number;
}

/** Shared by the trainings of one trainer. */
interface Trainings {
  readonly settings: Settings;
  readonly threads: number;
  readonly closing: AbortSignal;
  readonly pools: Set<LearnerPool>;
}

export function openGrpo({ settings: given = {}, threads = availableParallelism() }: GrpoOptions = {}): Trainer {
  const settings = settingsWith(given);
  const closing = new AbortController();
  const pools = new Set<LearnerPool>();
  return {
    component: { name: grpoComponent, version: grpoVersion, parameters: { ...settings } },
    isReproducible: true,
    train: (request) => train(request, { settings, threads, closing: closing.signal, pools }),
    close: async () => {
      closing.abort(new TrainerClosed(grpoComponent));
      await Promise.all([...pools].map((pool) => pool.close(closing.signal.reason)));
    },
  };
}

async function* train(request: TrainRequest, trainings: Trainings): AsyncGenerator<Progress, Trained, undefined> {
  const signal = AbortSignal.any([trainings.closing, ...(request.signal === undefined ? [] : [request.signal])]);
  signal.throwIfAborted();
  const { threads, pools } = trainings;
  const settings: Settings = { ...trainings.settings, ...request.hyperparameters };
  const { seed, rollouts: common = null } = request;
  const isRecorded = common !== null;
  const [configuration, budget] = [checkedLake(request.configuration), budgetOf(request.budget)];
  const families = Object.keys(configuration.sizes);
  const place = { folder: request.folder, training: trainingOf(request, settings) };
  const kept = await latestIn(place);
  const begun = kept?.state ?? (await startOf(request));
  const record = new TrainingRecord(families, budget, kept?.record ?? undefined);
  if (kept !== null && begun.agentSteps >= budget) return resultOf(begun, record, kept.checkpoint, isRecorded);
  const curriculum = await curriculumOf(configuration, seed, signal);
  const { weights, reference } = begun;
  const pool = new LearnerPool({ weights, reference, settings, seed, curriculum, threads, common });
  pools.add(pool);
  let pending: TrainingRollout[] = [];
  try {
    for (let state = begun; ; ) {
      const taken = await pool.learn(state.update);
      const spent = taken.reduce((sum, one) => sum + one.agentSteps, 0);
      state = applyUpdate(state, pool, spent, settings);
      const isLast = state.agentSteps >= budget;
      const point = record.add(taken, state.update, state.agentSteps, isLast);
      if (point !== null && !signal.aborted) yield { kind: 'point', point };
      for (const { rollouts } of taken) {
        if (rollouts !== '') for (const text of rollouts.split('\n')) pending.push(new CanonicalText(text));
      }
      // A stop loses at most the current update.
      const isSaved = isLast || signal.aborted || state.update % settings.saveEvery === 0;
      if (pending.length >= batch || (isSaved && pending.length > 0)) {
        yield { kind: 'rollouts', from: record.rollouts - pending.length, rollouts: pending, isBeforeSave: isSaved };
        pending = [];
      }
      const checkpoint = isSaved ? await keep(place, state, record.written()) : null;
      if (checkpoint !== null) yield { kind: 'saved', checkpoint };
      signal.throwIfAborted();
      if (isLast && checkpoint !== null) return resultOf(state, record, checkpoint, isRecorded);
    }
  } finally {
    pools.delete(pool);
    await pool.close(signal.reason);
  }
}

function applyUpdate(state: State, pool: LearnerPool, agentSteps: number, { learningRate }: Settings): State {
  const updatesEver = state.updatesEver + 1;
  if (agentSteps > 0) descend(state.adam, pool.weights, pool.gradient, agentSteps, updatesEver, learningRate);
  updateAverage(state.average, pool.weights);
  return {
    ...state,
    weights: pool.weights,
    update: state.update + 1,
    updatesEver,
    agentSteps: state.agentSteps + agentSteps,
  };
}

/** Averaged weights are more stable than those after single updates. */
function updateAverage(average: Float64Array, weights: Float64Array): void {
  for (let i = 0; i < average.length; i++) {
    const held = average[i] as number;
    average[i] = Math.fround(held + averageRate * ((weights[i] as number) - held));
  }
}

function resultOf(state: State, record: TrainingRecord, checkpoint: Checkpoint, isRecorded: boolean): Trained {
  const spent = { 'agent-steps': state.agentSteps, updates: state.update };
  return { checkpoint, spent, ...record.figures(), ...(isRecorded ? { rollouts: record.rollouts } : {}) };
}

async function startOf({ from, seed }: TrainRequest): Promise<State> {
  const snapshot = from === null ? freshSnapshot(seed) : await readCheckpoint(from, snapshotIn);
  return { ...snapshot, reference: snapshot.weights.slice(), update: 0, agentSteps: 0 };
}

function freshSnapshot(seed: string): Snapshot {
  const weights = freshWeights(seed);
  return { weights, average: weights.slice(), adam: newAdam(weights.length), updatesEver: 0 };
}

function budgetOf(budget: Budget): number {
  const { 'agent-steps': agentSteps, ...others } = budget;
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw new BadBudget({ field: other, found: String(budget[other]), allowed: 'only agent-steps' });
  if (agentSteps === undefined || !Number.isSafeInteger(agentSteps) || agentSteps < 1) {
    throw new BadBudget({ field: 'agent-steps', found: String(agentSteps), allowed: 'a whole number from 1' });
  }
  return agentSteps;
}

/** Identifies this training among others in the same folder. */
function trainingOf({ configuration, from, budget, seed }: TrainRequest, settings: Settings): string {
  const start = from === null ? null : (from.digest ?? from.reference);
  return digestOf(
    Buffer.from(canonicalJson({ version: grpoVersion, configuration, from: start, budget, seed, settings, shards })),
  );
}
