// The command that would settle what an ablation leaves inconclusive: the same arms, trained with as many seeds as it takes, none
// of which had a part in the result that raised the question.

import type { AblationOptions } from '../../../schemas/ablation-options.ts';
import type { Ablated, Settle } from '../../../schemas/ablation-output.ts';
import { cellOf, levelsOf } from '../../../schemas/arm-names.ts';
import type { Amounts } from '../../base/quantity.ts';
import { shellLine } from '../../base/shell-word.ts';
import { fewestForScatter, unitsNeeded, usualPower } from '../../lab/statistics/power.ts';
import { alphaOf, fewestPairs } from '../../lab/statistics/significance.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { AblationRecord } from '../../producers/ablation/record.ts';
import { numberIn } from '../../producers/history/figures.ts';
import { durationsOf, secondsOf } from './plan.ts';

type Comparison = Ablated['comparisons'][number];
type Settled = Omit<Settle, 'command' | 'seconds'>;

/** More seeds are not worth training; a range of `--seed` has no more either. */
export const mostSeeds = 1000;

/** Null where everything is settled, or no number of seeds that is worth training would settle it. */
export async function settleOf(ledger: Ledger, record: AblationRecord, ablated: Ablated): Promise<Settle | null> {
  const { options, started } = record;
  const contrast = contrastToSettle(ablated);
  if (options === null || started === null || contrast === null) return null;
  const words = wordsFor(contrast, ablated, options);
  const budget = ablated.depth === 'propose' ? null : (started.data.budget ?? null);
  return {
    ...contrast,
    command: shellLine(['icecore', 'ablate', ...words, ...sameAs(ablated, budget)]),
    seconds: await secondsFor(ledger, contrast, ablated, budget),
  };
}

/** A declared contrast comes first; of the others, the one that takes the fewest seeds, and then the largest difference. */
function contrastToSettle(ablated: Ablated): Settled | null {
  const { depth } = ablated;
  const size = ({ difference }: Comparison): number => Math.abs(numberIn(difference) ?? 0);
  const [first] = openContrasts(ablated)
    .flatMap((one) => {
      const seeds = seedsToSettle(one, ablated);
      return seeds === null ? [] : [{ one, seeds }];
    })
    .toSorted(
      (a, b) => Number(b.one.declared) - Number(a.one.declared) || a.seeds - b.seeds || size(b.one) - size(a.one),
    );
  if (first === undefined) return null;
  const { one, seeds } = first;
  return {
    factor: one.factor ?? null,
    arm: one.arm,
    reference: one.reference,
    depth: depth === 'propose' ? 'train' : depth,
    seeds,
  };
}

/** The inconclusive contrasts that training could settle, once all arms are done. */
export function openContrasts(ablated: Ablated): readonly Comparison[] {
  const { state, preset, comparisons } = ablated;
  if (state !== 'completed' || preset === 'sensitivity') return [];
  return comparisons.filter(
    (one) =>
      one.verdict === 'inconclusive' &&
      numberIn(one.difference) !== null &&
      (one.factor !== undefined || isOfTwo(one, ablated)),
  );
}

/**
 * How many seeds would settle a contrast; null if no number that is worth training would. Where nothing says how many, it
 * is the fewest that can be significant.
 */
export function seedsToSettle(one: Comparison, ablated: Ablated): number | null {
  const least = fewestPairs(alphaOf(ablated.level));
  if (!isEstimated(one, ablated)) return isNothing(one, ablated) ? null : least;
  const seeds = Math.max(least, unitsAlone(one, ablated) ?? Number.POSITIVE_INFINITY);
  return seeds > mostSeeds ? null : seeds;
}

/** The command tests its contrast alone, so that nothing is corrected. */
function unitsAlone({ p, adjusted, effect, unitsNeeded: asCorrected }: Comparison, { level }: Ablated): number | null {
  const size = effect === undefined ? null : numberIn(effect);
  if (asCorrected === undefined) return null;
  if (adjusted === undefined || adjusted === p || size === null || size === 0) return asCorrected;
  return unitsNeeded({ effect: Math.abs(size), alpha: alphaOf(level), power: usualPower });
}

/** Several trained seeds without any difference have nothing to settle. */
function isNothing({ difference, units }: Comparison, { depth }: Pick<Ablated, 'depth'>): boolean {
  return depth !== 'propose' && units > 1 && numberIn(difference) === 0;
}

/**
 * Whether the results say how many seeds a difference takes. Scores of proposals do not say which arm trains better, and
 * one or two seeds do not show how much is chance.
 */
export function isEstimated({ units }: Comparison, { depth }: Pick<Ablated, 'depth'>): boolean {
  return depth !== 'propose' && units >= fewestForScatter;
}

function isOfTwo({ arm, reference }: Comparison, { arms }: Ablated): boolean {
  return [arm, reference].every((name) => arms.some((one) => one.arm === name));
}

/** The arms to train: the two that are compared, or those of both levels of the factor. */
function sidesOf({ factor, arm, reference }: Settled, arms: Ablated['arms']): Ablated['arms'] {
  const sides = [arm, reference];
  return arms.filter((one) => sides.includes(factor === null ? one.arm : (cellOf(one)?.[factor] ?? '')));
}

function wordsFor(contrast: Settled, ablated: Ablated, options: AblationOptions): readonly string[] {
  const { histories, arms } = ablated;
  const sides = sidesOf(contrast, arms);
  const baselines = sides.flatMap(({ arm, baseline }) => (baseline ? [arm] : []));
  const engineers = levelsOf('engineer', sides).map((name) => engineerWord(name, ablated, options));
  const stages = [...new Set(histories.flatMap((one) => one.decisions))].sort((one, other) => one - other);
  const perHistory = Math.ceil(contrast.seeds / histories.length);
  const firstSeed = unusedSeed(ablated);
  return [
    ...histories.map(({ name }) => name),
    ...['--decisions', stages.join(',')],
    ...(engineers.length === 0 ? [] : ['--engineer', engineers.join(',')]),
    ...contextWords(sides, ablated, options),
    ...['--baselines', baselines.length === 0 ? 'none' : baselines.join(',')],
    ...['--depth', contrast.depth],
    ...['--contrast', `${contrast.arm}:${contrast.reference}`],
    ...['--seed', `${firstSeed}-${firstSeed + perHistory - 1}`],
  ];
}

/** Above all that were trained: a difference that was picked because it is large would be tested by the seeds that made it so. */
function unusedSeed({ units, depth }: Ablated): number {
  if (depth === 'propose') return 1;
  return 1 + Math.max(0, ...units.map(({ seed }) => Number(seed)).filter(Number.isSafeInteger));
}

/** A program with its arguments; quotes keep its commas together. */
function engineerWord(name: string, { arms }: Ablated, { engineers }: AblationOptions): string {
  if (engineers.includes(name)) return name;
  const programs = engineers.filter((word) => typeof word !== 'string');
  const named = levelsOf('engineer', arms).filter((one) => !engineers.includes(one));
  const program = programs[named.indexOf(name)];
  if (program === undefined) return name;
  const line = shellLine(program);
  return line.includes(',') ? `"${line}"` : line;
}

function contextWords(sides: Ablated['arms'], { arms }: Ablated, { choice }: AblationOptions): readonly string[] {
  const shown = (of: Ablated['arms']): string =>
    [...new Set(of.flatMap((arm) => cellOf(arm)?.context ?? []))].join(',');
  switch (choice.kind) {
    case 'paper':
      return ['--preset', 'paper'];
    case 'leave-one-out':
      return ['--context', shown(arms.filter(({ without }) => without.length === 0)), '--leave-one-out'];
    case 'factorial': {
      const modules = new Set(arms.flatMap((arm) => (arm.baseline ? [] : (arm.modules ?? []))));
      return ['--context', [...modules].join('+'), '--factorial', choice.factors.join(',')];
    }
    default: {
      const contexts = shown(sides);
      return contexts === '' ? [] : ['--context', contexts];
    }
  }
}

/** What else the ablation was asked for. */
function sameAs({ depth, measures, contrasts, margin, level }: Ablated, budget: Amounts | null): readonly string[] {
  const measure = contrasts[0]?.measure;
  return [
    ...(depth === 'propose' || measure === undefined || measure === measures[0]?.measure ? [] : ['--measure', measure]),
    ...(depth === 'propose' || margin === null ? [] : ['--margin', String(margin)]),
    ...(level === 0.95 ? [] : ['--level', String(level)]),
    ...(budget === null
      ? []
      : [
          '--budget',
          Object.entries(budget)
            .map(([unit, amount]) => `${unit}=${amount}`)
            .join(','),
        ]),
  ];
}

/** With the recorded trainings that the command repeats first. */
async function secondsFor(
  ledger: Ledger,
  contrast: Settled,
  { histories, arms }: Ablated,
  budget: Amounts | null,
): Promise<number | null> {
  const perDecision = Math.ceil(contrast.seeds / histories.length) * sidesOf(contrast, arms).length;
  const works = histories.map(async ({ run, decisions }) => {
    const took = await durationsOf(ledger, run);
    const stagesOf = (decision: number): number =>
      contrast.depth === 'run' ? (took.stages ?? decision) - decision + 1 : 1;
    const stages = decisions.reduce((sum, decision) => sum + stagesOf(decision), 0);
    return { took, trainings: perDecision * stages, repeats: decisions.length };
  });
  return secondsOf(await Promise.all(works), budget);
}
