// What came of a training, in the words that are published for programs.
import type { TrainFamily, TrainResult } from '../../../../schemas/training-output.ts';
import type { LakeConfiguration } from '../../../lab/lake/configuration.ts';
import type { Checkpoint } from '../../../lab/policies/policy.ts';
import type { Budget, Trained } from '../../../lab/trainers/trainer.ts';
import type { Asked } from './asked.ts';
import { numbersOf } from './figures.ts';

/** How long it took this time, and how much it spent a second; null where it was over before. */
export type Took = { readonly seconds: number; readonly perSecond: Budget } | null;

export function resultOf(asked: Asked, from: Checkpoint | null, trained: Trained, took: Took): TrainResult {
  const { checkpoint, spent, curve, signal, results, exit, log } = trained;
  return {
    kind: 'trained',
    folder: asked.folder,
    isNew: took !== null,
    environment: asked.training.environment,
    trainer: asked.trainer.component,
    configuration: { ...asked.configuration },
    from,
    budget: { ...asked.budget },
    seed: asked.seed,
    spent: { ...spent },
    checkpoint,
    curve: [...curve],
    families: familiesIn(asked.configuration, trained),
    signal: [...signal],
    results: results ?? null,
    exit: exit ?? null,
    log: log ?? null,
    seconds: took?.seconds ?? null,
    perSecond: took === null ? null : { ...took.perSecond },
  };
}

/** The families that were asked for, in their order, and whatever else the trainer tells of. */
function familiesIn({ sizes }: LakeConfiguration, { signal, sampled, curve }: Trained): TrainFamily[] {
  const asked = Object.keys(sizes).filter((size) => (sizes[size]?.data ?? 0) > 0);
  const told = [...sampled.map(({ family }) => family), ...signal.flatMap(({ family }) => family ?? [])];
  const lately = curve.slice(-Math.ceil(curve.length / 10));
  return [...new Set([...asked, ...told])].map((family) => {
    const drawn = sampled.find((one) => one.family === family);
    return {
      family,
      asked: sizes[family]?.data ?? null,
      sampled: drawn?.share ?? null,
      instances: drawn?.tasks ?? null,
      signal: signal.find((one) => one.family === family)?.share ?? null,
      valid: meanOf(numbersOf({ name: `valid/${family}` }, lately)),
    };
  });
}

function meanOf(numbers: readonly number[]): number | null {
  return numbers.length === 0 ? null : numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
