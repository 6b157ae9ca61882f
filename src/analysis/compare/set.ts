// One set of comparable runs: the stage, whether the run or the seed is the unit, and the difference of each from the baseline.

import type { ComparedArm, ComparedSet, RunDifference, SeedTasks } from '../../../schemas/compare-output.ts';
import { listNames } from '../../base/name-lists.ts';
import { confidence, deviationOf, meanInterval, meanOf } from '../../lab/statistics/distributions.ts';
import { familiesOf, rateOf } from '../../producers/history/figures.ts';
import { type Arm, armsOf, seedOf } from './arms.ts';
import { evaluationOf, type Points, probe, type SetMaterial, type SuiteChoice } from './comparable.ts';
import { type BySeed, byFamilies, bySeeds, byTasks, judged, type RunPair } from './differences.ts';
import { type Entrant, type Point, stageAt } from './entrants.ts';
import { notesOn, spendingWarnings, unrecordedOf } from './notes.ts';
import { rateIn, type Tally, tallied } from './tasks.ts';

/** Throws SeedTwice. */
export function setOf(material: SetMaterial): ComparedSet {
  const { entrants, baseline, chosen, points } = material;
  const arms = canHaveArms(material) ? armsOf(entrants, material.by) : [];
  const base = arms.find((arm) => arm.entrants.includes(baseline)) ?? arms[0];
  const isBySeed = base !== undefined && arms.length > 1 && (material.by.length > 0 || haveSeedsInCommon(arms, base));
  const hasArms = isBySeed || (arms.length === 1 && new Set(entrants.map(seedOf)).size > 1);
  const stages = new Set(points.values());
  const [stage] = stages;
  const differences = isBySeed ? betweenArms(arms, base, material) : betweenRuns(entrants, baseline, material);
  return {
    runs: entrants.map(({ label }) => label),
    stage: stages.size === 1 && typeof stage === 'number' ? stage : null,
    suite: suiteOf(entrants, chosen, points),
    unit: isBySeed ? 'seed' : 'run',
    baseline: isBySeed ? base.name : baseline.label,
    arms: hasArms ? arms.map((arm) => armShown(arm, material)) : [],
    differences,
    tasks: isBySeed ? tasksBySeed(arms, base, material) : [],
    warnings: spendingWarnings(material),
    unrecorded: unrecordedOf(material),
    notes: notesOn(material, { arms, isBySeed, differences }),
  };
}

/** Stages of one run, or runs at different stages, do not repeat each other. */
function canHaveArms({ entrants, points }: SetMaterial): boolean {
  const runs = new Set(entrants.map(({ read }) => read.run));
  const isSeeded = entrants.every((one) => seedOf(one) !== null);
  return isSeeded && runs.size === entrants.length && new Set(points.values()).size === 1;
}

/** Of another arm at least two of the same seeds. */
function haveSeedsInCommon(arms: readonly Arm[], base: Arm): boolean {
  const seeds = new Set(base.entrants.map(seedOf));
  return arms.some(
    (arm) => arm !== base && new Set(arm.entrants.map(seedOf).filter((seed) => seeds.has(seed))).size > 1,
  );
}

function suiteOf(entrants: readonly Entrant[], chosen: SuiteChoice, points: Points): ComparedSet['suite'] {
  if (chosen.suite === probe) return { suite: probe, split: probe, digest: null, tasks: null };
  const [first] = entrants;
  const evaluation = first === undefined ? null : evaluationOf(first, points.get(first) ?? 'outside', chosen);
  const { name = chosen.suite ?? 'validation', digest = null, tasks = null } = evaluation?.suite ?? {};
  return { suite: name, split: evaluation?.split ?? 'validation', digest, tasks };
}

function betweenRuns(entrants: readonly Entrant[], baseline: Entrant, material: SetMaterial): RunDifference[] {
  const others = entrants.filter((one) => one !== baseline);
  return judged(
    others.map((one) => heldRuns(one, baseline, material)),
    material.margin,
  );
}

function heldRuns(one: Entrant, other: Entrant, { chosen, points, tallies }: SetMaterial): RunPair {
  const [mine, theirs] = [one, other].map((entrant) => {
    const point = points.get(entrant) ?? 'outside';
    return { evaluation: evaluationOf(entrant, point, chosen), tally: tallies.get(entrant.label), point, entrant };
  }) as [Side, Side];
  const tasks = mine.tally && theirs.tally ? byTasks(mine.tally, theirs.tally) : null;
  const families =
    mine.evaluation && theirs.evaluation ? byFamilies(mine.evaluation, theirs.evaluation, chosen.measure) : null;
  return {
    of: one.label,
    against: other.label,
    families: tasks === null ? familiesBeside(mine, theirs, chosen.measure) : familiesOfTasks(mine, theirs),
    difference: tasks ?? families,
    missing: chosen.suite === probe ? 'no task was tried by both' : `${chosen.measure} is not known of both`,
    same: samenessOf(mine, theirs),
  };
}

interface Side {
  readonly entrant: Entrant;
  readonly point: Point;
  readonly evaluation: ReturnType<typeof evaluationOf>;
  readonly tally: Tally | undefined;
}

/** Why there is nothing to compare; null where there is. */
function samenessOf(mine: Side, theirs: Side): string | null {
  if (sameStage(mine, theirs)) return 'the same stage of the same training';
  const [here, there] = [mine, theirs].map(checkpointOf);
  return here !== null && here === there ? 'the same checkpoint: both runs trained the same policy' : null;
}

type Placed = Pick<Side, 'entrant' | 'point'>;

function checkpointOf({ entrant, point }: Placed): string | null {
  return stageAt(entrant.read, point)?.training?.data.checkpoint?.digest ?? null;
}

function sameStage(mine: Side, theirs: Side): boolean {
  const [here, there] = [mine, theirs].map(({ entrant, point }) => stageAt(entrant.read, point)?.started.id ?? null);
  return here !== null && here === there;
}

function familiesBeside(
  { evaluation: one }: Side,
  { evaluation: other }: Side,
  measure: string,
): RunDifference['families'] {
  const theirs = familiesOf(other);
  return familiesOf(one)
    .filter((family) => theirs.includes(family))
    .map((family) => {
      const [of, against] = [rateOf(one, measure, family), rateOf(other, measure, family)];
      const isKnown = of.value !== null && against.value !== null;
      return { family, of, against, difference: isKnown ? Number(of.value) - Number(against.value) : null };
    });
}

/** Of the tasks that both tried. */
function familiesOfTasks(
  { tally: one = new Map(), evaluation }: Side,
  { tally: other = new Map() }: Side,
): RunDifference['families'] {
  const common = (tally: Tally, there: Tally): Tally => new Map([...tally].filter(([task]) => there.has(task)));
  const [mine, theirs] = [common(one, other), common(other, one)];
  const there = new Set([...mine.values()].flatMap(({ family }) => family ?? []));
  // In the order of the evaluation, as where tasks are not known.
  const families = [...familiesOf(evaluation).filter((family) => there.has(family)), ...there];
  return [...new Set(families)].map((family) => {
    const [of, against] = [rateIn(mine, family), rateIn(theirs, family)];
    return {
      family,
      of,
      against,
      difference: of.value === null || against.value === null ? null : of.value - against.value,
    };
  });
}

function betweenArms(arms: readonly Arm[], base: Arm, material: SetMaterial): RunDifference[] {
  const others = arms.filter((arm) => arm !== base);
  const theirs = bySeed(base, material);
  return judged(
    others.map((arm) => {
      const seeds = (of: Arm): string => listNames([...bySeed(of, material).keys()]);
      return {
        of: arm.name,
        against: base.name,
        families: [],
        difference: bySeeds(bySeed(arm, material), theirs),
        missing: `no seed in common: ${seeds(arm)} here, ${seeds(base)} there`,
        same: sameArms(arm, base, material),
      };
    }),
    material.margin,
  );
}

/** Settings that led to the same policy with every seed have nothing to compare; null where they did not. */
function sameArms(arm: Arm, base: Arm, { points }: SetMaterial): string | null {
  const bySeeds = ({ entrants }: Arm): ReadonlyMap<string, ReadonlySet<string | null>> =>
    new Map(
      Array.from(
        Map.groupBy(entrants, (one) => String(seedOf(one))),
        ([seed, own]) => [
          seed,
          new Set(own.map((entrant) => checkpointOf({ entrant, point: points.get(entrant) ?? 'outside' }))),
        ],
      ),
    );
  const theirs = bySeeds(base);
  const pairs = [...bySeeds(arm)].flatMap(([seed, mine]) => {
    const there = theirs.get(seed);
    return there === undefined ? [] : [new Set([...mine, ...there])];
  });
  const isSame = pairs.length > 0 && pairs.every((both) => both.size === 1 && !both.has(null));
  return isSame ? 'the same checkpoint with every seed: both arms trained the same policies' : null;
}

/** Within each seed, the tasks that runs of both arms tried: none where what came of single tasks is not known. */
function tasksBySeed(arms: readonly Arm[], base: Arm, { tallies }: SetMaterial): SeedTasks[] {
  const ofSeed = (arm: Arm, seed: string): Tally =>
    tallied(
      arm.entrants.filter((one) => String(seedOf(one)) === seed).flatMap(({ label }) => tallies.get(label) ?? []),
    );
  const seeds = [...new Set(base.entrants.map((one) => String(seedOf(one))))];
  return arms
    .filter((arm) => arm !== base)
    .flatMap((arm) =>
      seeds.flatMap((seed) => {
        const found = byTasks(ofSeed(arm, seed), ofSeed(base, seed));
        if (found === null) return [];
        const { units, better, worse, value, interval, p, method } = found;
        return [
          {
            ...{ of: arm.name, against: base.name, seed, tasks: units, better, worse, difference: value, p, method },
            low: interval?.low ?? null,
            high: interval?.high ?? null,
          },
        ];
      }),
    );
}

/** Of runs with the same settings and the same seed, their mean. */
function bySeed({ entrants }: Arm, { cameTo }: SetMaterial): BySeed {
  const values = new Map<string, number[]>();
  for (const entrant of entrants) {
    const value = cameTo(entrant);
    const seed = String(seedOf(entrant));
    if (value !== null) values.set(seed, [...(values.get(seed) ?? []), value]);
  }
  return new Map(Array.from(values, ([seed, all]) => [seed, meanOf(all)]));
}

function armShown(arm: Arm, material: SetMaterial): ComparedArm {
  const values = [...bySeed(arm, material).values()];
  const mean = meanInterval(values, confidence);
  return {
    arm: arm.name,
    settings: { ...arm.settings },
    runs: arm.entrants.map((one) => ({ run: one.label, seed: seedOf(one), value: material.cameTo(one) })),
    mean: values.length === 0 ? null : meanOf(values),
    low: mean === null ? null : Math.max(0, mean.low),
    high: mean === null ? null : Math.min(1, mean.high),
    deviation: values.length < 2 ? null : deviationOf(values),
  };
}
