// Declared contrasts task by task, in each unit where the rollouts of all their arms are recorded: how the very checkpoints
// compare, which says sooner that they differ, and nothing of what would come of another seed.
import type { ArmTasks } from '../../../schemas/ablation-output.ts';
import { getOrCreate } from '../../base/get-or-create.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { erroredIn } from '../../producers/ablation/errored.ts';
import type { AblationRecord, OfArm } from '../../producers/ablation/record.ts';
import { validation } from '../../producers/run/steps/evaluate.ts';
import { byTasks } from '../compare/differences.ts';
import { type Tally, tallied, tallyOf } from '../compare/tasks.ts';
import { armOf, type Declared, declaredContrasts, declaredIn } from './conclude.ts';
import type { Split } from './statistics/material.ts';
import { countedIn, measuresAt, unitsIn } from './values.ts';

type Evaluated = OfArm<'ArmEvaluated'>;

/** Of a main effect the arms of each side together. Errored arms are in no contrast. */
export async function contrastsByTask(ledger: Ledger, record: AblationRecord): Promise<ArmTasks[]> {
  const { started } = record;
  if (started === null) return [];
  const { arms, depth } = started.data;
  const errored = (record.completed?.data.unfinished ?? erroredIn(record)).map(({ arm }) => arm);
  const made = arms.map((one) => ({ ...armOf(one), isErrored: errored.includes(one.arm) }));
  const declared = declaredIn(started.data);
  const contrasts = declaredContrasts(declared, made);
  const reading = new Reading(ledger);
  const found: ArmTasks[] = [];
  for (const [i, one] of declared.entries()) {
    const split = measuresAt(depth).find(({ measure }) => measure === one.measure)?.split ?? null;
    const { of, less } = contrasts[i] ?? { of: [], less: [] };
    if (split === null || of.length === 0 || [...of, ...less].some((arm) => errored.includes(arm))) continue;
    for (const { unit } of unitsIn(record)) {
      const evaluated = (side: readonly string[]) => side.map((arm) => countedOf(record, { arm, unit, split }));
      found.push(...(await comparedIn(reading, one, { unit, mine: evaluated(of), theirs: evaluated(less) })));
    }
  }
  return found;
}

interface Place {
  readonly arm: string;
  readonly unit: string;
  readonly split: Split;
}

/** What counts of an arm in a unit, as where its rates are added up: all its stages, or the last where it went on to the end. */
function countedOf({ evaluations, started }: AblationRecord, { arm, unit, split }: Place): readonly Evaluated[] {
  const own = [...evaluations.values()]
    .flat()
    .filter(
      ({ place, data }) =>
        place.arm === arm && place.unit === unit && (data.suite.name === validation) === (split === 'validation'),
    );
  if (started?.data.depth !== 'run') return own;
  const last = Math.max(...own.map(({ place }) => place.stage));
  return own.filter(({ place }) => place.stage === last);
}

interface Sides {
  readonly unit: string;
  /** By arm. */
  readonly mine: readonly (readonly Evaluated[])[];
  readonly theirs: readonly (readonly Evaluated[])[];
}

const keyOf = ({ place, data }: Evaluated): string => JSON.stringify([place.stage, data.suite.name]);

/** Stages and suites of which all arms have rollouts. */
async function comparedIn(
  reading: Reading,
  { factor, arm, reference, measure }: Declared,
  { unit, mine, theirs }: Sides,
): Promise<ArmTasks[]> {
  const arms = [...mine, ...theirs];
  const keys = arms.map((own) => new Set(own.flatMap((one) => (one.rollouts === undefined ? [] : [keyOf(one)]))));
  const isCommon = (one: Evaluated): boolean => keys.every((all) => all.has(keyOf(one)));
  const common = (arms[0] ?? []).filter(isCommon);
  if (common.length === 0) return [];
  const counted = countedIn(measure);
  const tally = async (side: Sides['mine']): Promise<Tally> =>
    await reading.together(side.flat().filter(isCommon), counted);
  const difference = byTasks(await tally(mine), await tally(theirs));
  if (difference === null) return [];
  const { units, better, worse, value, interval, p, method } = difference;
  return [
    {
      ...{
        factor,
        arm,
        reference,
        unit,
        suites: [...new Set(common.map(({ data }) => data.suite.name))],
        tasks: units,
      },
      ...{ better, worse, difference: value, p, method },
      low: interval?.low ?? null,
      high: interval?.high ?? null,
    },
  ];
}

/** Rollouts are read once, though several contrasts have the same arm and several arms the same rollouts. */
class Reading {
  readonly #ledger: Ledger;
  readonly #read = new Map<string, Promise<Tally>>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** How often each task was solved, over all of these. */
  async together(evaluated: readonly Evaluated[], measure: string): Promise<Tally> {
    const tallies: Tally[] = [];
    for (const { data, rollouts = [] } of evaluated) {
      const key = JSON.stringify([rollouts, data.split, measure]);
      const tally = await getOrCreate(this.#read, key, () => tallyOf(this.#ledger, rollouts, data.split, measure));
      tallies.push(new Map(Array.from(tally, ([task, tried]) => [`${data.suite.name} ${task}`, tried])));
    }
    return tallied(tallies);
  }
}
