// The settings of a run by name, to compare two runs.

import { isObject } from '../../../schemas/json-text.ts';
import { external, legacyRecording, type Recording, recordings, runSettings } from '../../../schemas/run-file.ts';
import type { RunShown } from '../../../schemas/run-output.ts';
import { listNames } from '../../base/name-lists.ts';
import type { RunRead } from '../../producers/history/reading.ts';
import type { RunHistory } from '../../producers/history/run-history.ts';

/** What a run is called is no setting: it tells every two runs apart. */
const labels = ['name', 'tags', 'notes'];

/** By name, in the order of the options; what the recorded options leave out comes after them. */
export function settingsOf({ started }: RunRead): ReadonlyMap<string, unknown> {
  const data = started?.data;
  if (data === undefined) return new Map();
  const {
    options = {},
    environment,
    engineer,
    contextForm: form,
    policy,
    trainer,
    budget,
    seed,
    stages,
    code,
    parent,
  } = data;
  const beside = { environment, engineer, form, policy, trainer, budget, seed, stages };
  const missing = Object.entries(beside).filter(([name]) => !Object.hasOwn(options, name));
  const all = {
    ...options,
    ...Object.fromEntries(missing),
    code,
    parent: parent && `${parent.run}@${parent.stage + 1}`,
  };
  return new Map(leaves(Object.fromEntries(Object.entries(all).filter(([name]) => !labels.includes(name))), ''));
}

/** Which rollouts of a run are events; null where its settings are none of icecore's. Runs from before there was a choice do not say it. */
export function recordingIn(options: unknown): Recording | null {
  const record = isObject(options) ? options['record'] : undefined;
  const named = recordings.find((one) => one === record);
  return named ?? (runSettings.safeParse(options).success ? legacyRecording : null);
}

/** What of a run is not recorded, in words; null where nothing is known to be missing. */
export function unrecordedIn({ started, stages }: Pick<RunHistory, 'started' | 'stages'>): string | null {
  const trainings = stages.flatMap(({ stage, training }) =>
    training === null ? [] : [{ stage, rollouts: training.rollouts ?? [] }],
  );
  return unrecordedOf(started?.data.options, trainings);
}

/** `trainings`: the rollouts that each names. A trainer that is a program may print none. */
export function unrecordedOf(
  options: unknown,
  trainings: readonly { readonly stage: number; readonly rollouts: readonly unknown[] }[],
): string | null {
  const recording = recordingIn(options);
  const silent = trainings.filter(({ rollouts }) => rollouts.length === 0).map(({ stage }) => String(stage));
  if (recording !== 'all' || silent.length === 0) return leftUnrecorded(recording);
  const which = silent.length === 1 ? 'stage' : 'stages';
  return `${silentTrainer} of ${which} ${listNames(silent)}`;
}

const notFullyRecorded = 'not fully recorded';
const silentTrainer = `${notFullyRecorded}: no training rollouts`;

/** In words; null for a run of which nothing is left out, or known. */
function leftUnrecorded(recording: Recording | null): string | null {
  if (recording === null || recording === 'all') return null;
  const evaluations = recording === 'sample' ? ', no evaluation rollouts' : '';
  return `${notFullyRecorded}: only a sample of training rollouts${evaluations}`;
}

/** Whether it matters that rollouts were not recorded, and how to record them. */
export function unrecordedAdvice(
  unrecorded: string,
  { trainer, programs }: Pick<RunShown['asked'], 'trainer' | 'programs'>,
): string {
  const how = unrecorded.startsWith(silentTrainer)
    ? howToReport(
        trainer?.name,
        programs.some(({ role }) => role === 'trainer'),
      )
    : 'To record them, start a run with --record all.';
  return `Decisions and results are not affected, but icecore verify --recompute cannot check figures without their rollouts. ${how}`;
}

function howToReport(trainer: string | undefined, isProgram: boolean): string {
  if (trainer === external)
    return 'To record them, give icecore stage finish --curve a file that has them (docs/trainers.md).';
  if (isProgram) return 'To record them, the trainer has to print them (docs/trainers.md).';
  return trainer === undefined ? 'The trainer reports none.' : `The trainer "${trainer}" reports none.`;
}

function* leaves(value: unknown, path: string): Generator<readonly [string, unknown]> {
  if (value === undefined) return;
  if (!isObject(value)) {
    yield [path, value];
    return;
  }
  for (const [key, member] of Object.entries(value)) yield* leaves(member, path === '' ? key : `${path}.${key}`);
}
