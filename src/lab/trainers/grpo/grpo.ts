// The embedded trainer: GRPO on the lake. Several plans for every instance are compared with one another; what earned
// more than the others becomes more likely. An update after the other until the decisions it may take are taken.
import { availableParallelism } from 'node:os';
import { canonicalJson } from '../../../../schemas/canonical.ts';
import type { LakeConfiguration } from '../../lake/configuration.ts';
import { freshWeights } from '../../policies/neural/start.ts';
import type { Checkpoint } from '../../policies/policy.ts';
import type { Point, Progress, Trained, Trainer, TrainRequest } from '../trainer.ts';
import { type Adam, descend, newAdam } from './adam.ts';
import { Kept } from './kept.ts';
import { lessonsOf, type TrainingLesson } from './lessons.ts';
import { School } from './school.ts';
import { defaults, type Settings } from './settings.ts';
import { digestOf, type State } from './state.ts';
import { Tally } from './tally.ts';

/** A point of the curve speaks of so many updates. */
const updatesAPoint = 10;

export interface GrpoOptions {
  readonly settings?: Partial<Settings>;
  /** The result does not depend on it. */
  readonly threads?: number;
}

export function openGrpo({ settings: given = {}, threads = availableParallelism() }: GrpoOptions = {}): Trainer {
  const settings = { ...defaults, ...given };
  return {
    component: { name: 'grpo', version: '1', parameters: { ...settings } },
    isReproducible: true,
    train: (request) => train(request, settings, threads),
    close: async () => {},
  };
}

async function* train(
  request: TrainRequest,
  settings: Settings,
  threads: number,
): AsyncGenerator<Progress, Trained, undefined> {
  const { configuration, seed, budget, signal } = request;
  const kept = new Kept(request.folder, trainingOf(request, settings));
  const begun = (await kept.latest()) ?? (await startOf(request));
  const school = new School(begun.weights, begun.reference, settings, seed, threads);
  try {
    const lessons = lessonsOf(configuration as unknown as LakeConfiguration, seed, begun.update * settings.groups);
    const whole = new Tally();
    const curve: Point[] = [];
    let lately = new Tally();
    let state = begun;
    const most = budget['decisions'] ?? 0;
    while (state.decisions < most) {
      signal?.throwIfAborted();
      state = await update(state, school, take(lessons, settings.groups), settings, [whole, lately]);
      const isLast = state.decisions >= most;
      if (state.update % updatesAPoint === 0 || isLast) {
        const point = lately.point(state.update, state.decisions);
        lately = new Tally();
        curve.push(point);
        yield { kind: 'point', point };
      }
      if (state.update % settings.saveEvery === 0 || isLast)
        yield { kind: 'saved', checkpoint: await kept.save(state) };
    }
    const groups = Object.keys((configuration as unknown as LakeConfiguration).sizes);
    return {
      checkpoint: await kept.save(state),
      spent: { decisions: state.decisions, updates: state.update },
      curve,
      signal: whole.signal(groups),
      sampled: whole.sampled(groups),
    };
  } finally {
    await school.close(new Error('training is over'));
  }
}

async function update(
  state: State,
  school: School,
  lessons: readonly TrainingLesson[],
  settings: Settings,
  tallies: readonly Tally[],
): Promise<State> {
  const learnt = await school.learn(state.updatesEver, lessons);
  learnt.forEach((one, i) => {
    for (const tally of tallies) tally.add((lessons[i] as TrainingLesson).group, one);
  });
  const decisions = learnt.reduce((sum, one) => sum + one.decisions, 0);
  const updatesEver = state.updatesEver + 1;
  descend(state.adam, school.weights, school.gradient, decisions, updatesEver, settings.learningRate);
  return {
    ...state,
    weights: school.weights,
    update: state.update + 1,
    updatesEver,
    decisions: state.decisions + decisions,
  };
}

function take(lessons: Generator<TrainingLesson, void, undefined>, count: number): TrainingLesson[] {
  return Array.from({ length: count }, () => lessons.next().value as TrainingLesson);
}

async function startOf({ from, seed, folder }: TrainRequest): Promise<State> {
  if (from === null) {
    const weights = freshWeights(seed);
    const adam: Adam = newAdam(weights.length);
    return { weights, adam, reference: weights.slice(), update: 0, updatesEver: 0, decisions: 0 };
  }
  const { weights, adam, updatesEver } = await Kept.read(from, folder);
  return { weights, adam, reference: weights.slice(), update: 0, updatesEver, decisions: 0 };
}

/** What tells this training from another one in the same folder. */
function trainingOf({ configuration, from, budget, seed }: TrainRequest, settings: Settings): string {
  const start = (from: Checkpoint | null): string | null => from?.digest ?? from?.reference ?? null;
  return digestOf(Buffer.from(canonicalJson({ configuration, from: start(from), budget, seed, settings })));
}
