// The embedded trainer: GRPO on the lake. Several plans for every instance are compared with one another; what earned
// more than the others becomes more likely. An update after the other until the decisions it may take are taken.
import { availableParallelism } from 'node:os';
import { canonicalJson } from '../../../../schemas/canonical.ts';
import { BadConfiguration } from '../../environments/errors.ts';
import { checkLake } from '../../lake/check.ts';
import type { LakeConfiguration } from '../../lake/configuration.ts';
import { readTensors } from '../../policies/neural/checkpoint-file.ts';
import { freshWeights } from '../../policies/neural/start.ts';
import { TrainerClosed } from '../errors.ts';
import type { Budget, Progress, Trained, Trainer, TrainRequest } from '../trainer.ts';
import { descend, newAdam } from './adam.ts';
import { Course } from './course.ts';
import { BadBudget, NothingToLearn } from './errors.ts';
import { keep, latestIn, type Place } from './keeping.ts';
import { curriculumOf, isEmpty } from './lessons.ts';
import { School } from './school.ts';
import { defaults, type Settings } from './settings.ts';
import { digestOf, type State, snapshotIn } from './state.ts';

export const grpoComponent = 'grpo';

export interface GrpoOptions {
  readonly settings?: Partial<Settings>;
  /** The result does not depend on it. */
  readonly threads?: number;
}

/** What trainings of one trainer share. */
interface Trainings {
  readonly settings: Settings;
  readonly threads: number;
  readonly closing: AbortSignal;
  readonly schools: Set<School>;
}

export function openGrpo({ settings: given = {}, threads = availableParallelism() }: GrpoOptions = {}): Trainer {
  const settings = { ...defaults, ...given };
  const closing = new AbortController();
  const schools = new Set<School>();
  return {
    component: { name: grpoComponent, version: '1', parameters: { ...settings } },
    isReproducible: true,
    train: (request) => train(request, { settings, threads, closing: closing.signal, schools }),
    close: async () => {
      closing.abort(new TrainerClosed(grpoComponent));
      await Promise.all([...schools].map((school) => school.close(closing.signal.reason)));
    },
  };
}

async function* train(request: TrainRequest, trainings: Trainings): AsyncGenerator<Progress, Trained, undefined> {
  const signal = AbortSignal.any([trainings.closing, ...(request.signal === undefined ? [] : [request.signal])]);
  signal.throwIfAborted();
  const { settings, threads, schools } = trainings;
  const { seed } = request;
  const [configuration, budget] = [configurationOf(request), budgetOf(request.budget)];
  const groups = Object.keys(configuration.sizes);
  const place = { folder: request.folder, training: trainingOf(request, settings) };
  const kept = await latestIn(place);
  const begun = kept?.state ?? (await startOf(request));
  const course = new Course(groups, budget, kept?.course ?? undefined);
  if (begun.decisions >= budget) return await trainedFrom(begun, course, place);
  const curriculum = curriculumOf(configuration, seed);
  if (isEmpty(curriculum)) throw new NothingToLearn();
  signal.throwIfAborted();
  const { weights, reference } = begun;
  const school = new School({ weights, reference, settings, seed, curriculum, threads });
  schools.add(school);
  try {
    for (let state = begun; ; ) {
      const taken = await school.learn(state.update);
      const spent = taken.reduce((sum, one) => sum + one.decisions, 0);
      state = updated(state, school, spent, settings);
      const isLast = state.decisions >= budget;
      const point = course.add(taken, state.update, state.decisions, isLast);
      // Whoever stops it loses no more than the update that is under way.
      if (signal.aborted) await keep(place, state, course.written());
      signal.throwIfAborted();
      if (point !== null) yield { kind: 'point', point };
      if (isLast || state.update % settings.saveEvery === 0)
        yield { kind: 'saved', checkpoint: await keep(place, state, course.written()) };
      signal.throwIfAborted();
      if (isLast) return await trainedFrom(state, course, place);
    }
  } finally {
    schools.delete(school);
    await school.close(signal.reason);
  }
}

function updated(state: State, school: School, decisions: number, { learningRate }: Settings): State {
  const updatesEver = state.updatesEver + 1;
  if (decisions > 0) descend(state.adam, school.weights, school.gradient, decisions, updatesEver, learningRate);
  return {
    ...state,
    weights: school.weights,
    update: state.update + 1,
    updatesEver,
    decisions: state.decisions + decisions,
  };
}

async function trainedFrom(state: State, course: Course, place: Place): Promise<Trained> {
  return {
    checkpoint: await keep(place, state, course.written()),
    spent: { decisions: state.decisions, updates: state.update },
    ...course.told(),
  };
}

async function startOf({ from, seed }: TrainRequest): Promise<State> {
  const { weights, adam, updatesEver } = from === null ? freshSnapshot(seed) : snapshotIn(await readTensors(from));
  return { weights, adam, updatesEver, reference: weights.slice(), update: 0, decisions: 0 };
}

function freshSnapshot(seed: string): Pick<State, 'weights' | 'adam' | 'updatesEver'> {
  const weights = freshWeights(seed);
  return { weights, adam: newAdam(weights.length), updatesEver: 0 };
}

function configurationOf({ configuration }: TrainRequest): LakeConfiguration {
  const issues = checkLake(configuration);
  if (issues.length > 0) throw new BadConfiguration('lake', issues);
  return configuration as unknown as LakeConfiguration;
}

function budgetOf(budget: Budget): number {
  const { decisions, ...others } = budget;
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw new BadBudget({ field: other, found: String(budget[other]), allowed: 'only decisions' });
  if (decisions === undefined || !Number.isSafeInteger(decisions) || decisions < 1) {
    throw new BadBudget({ field: 'decisions', found: String(decisions), allowed: 'a whole number from 1' });
  }
  return decisions;
}

/** What tells this training from another one in the same folder. */
function trainingOf({ configuration, from, budget, seed }: TrainRequest, settings: Settings): string {
  const start = from === null ? null : (from.digest ?? from.reference);
  return digestOf(Buffer.from(canonicalJson({ configuration, from: start, budget, seed, settings })));
}
