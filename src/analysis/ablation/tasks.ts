// Declared contrasts of two arms, task by task, in each unit where the rollouts of both are recorded: how the very checkpoints
// compare, which says sooner that they differ, and nothing of what would come of another seed.
import type { ArmTasks } from '../../../schemas/ablation-output.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { AblationRecord, OfArm } from '../../producers/ablation/record.ts';
import { validation } from '../../producers/run/steps/evaluate.ts';
import { byTasks } from '../compare/pairs.ts';
import { type Tally, type Tried, tallyOf } from '../compare/tasks.ts';
import { type Declared, declaredIn } from './contrasts.ts';
import { measuresAt } from './measures.ts';
import { unitsIn } from './values.ts';

type Evaluated = OfArm<'ArmEvaluated'>;

/** What a measure counts of rollouts: that a task is solved, or solved at the least cost. */
const countedBy: Readonly<Record<string, string>> = { optimal: 'optimal' };

export async function contrastsByTask(ledger: Ledger, record: AblationRecord): Promise<ArmTasks[]> {
  const { started } = record;
  if (started === null) return [];
  const split = (measure: string) =>
    measuresAt(started.data.depth).find((one) => one.measure === measure)?.split ?? null;
  const found: ArmTasks[] = [];
  for (const declared of declaredIn(started.data)) {
    const of = split(declared.measure);
    if (declared.factor !== null || of === null) continue;
    for (const { unit } of unitsIn(record)) {
      const [mine, theirs] = [declared.arm, declared.reference].map((arm) => lastOf(record, { arm, unit, of }));
      found.push(...(await comparedIn(ledger, declared, { unit, mine: mine ?? [], theirs: theirs ?? [] })));
    }
  }
  return found;
}

interface Place {
  readonly arm: string;
  readonly unit: string;
  readonly of: 'validation' | 'test';
}

/** What was measured after the last stage of an arm in a unit, on the split. */
function lastOf({ evaluations }: AblationRecord, { arm, unit, of }: Place): readonly Evaluated[] {
  const own = [...evaluations.values()]
    .flat()
    .filter(
      ({ place, data }) =>
        place.arm === arm && place.unit === unit && (data.suite.name === validation) === (of === 'validation'),
    );
  const last = Math.max(...own.map(({ place }) => place.stage));
  return own.filter(({ place }) => place.stage === last);
}

interface Sides {
  readonly unit: string;
  readonly mine: readonly Evaluated[];
  readonly theirs: readonly Evaluated[];
}

/** Suites that both have rollouts of, all together. */
async function comparedIn(ledger: Ledger, declared: Declared, { unit, mine, theirs }: Sides): Promise<ArmTasks[]> {
  const named = (side: readonly Evaluated[]): readonly string[] =>
    side.flatMap(({ rollouts, data }) => (rollouts === undefined ? [] : [data.suite.name]));
  const suites = named(mine).filter((suite) => named(theirs).includes(suite));
  if (suites.length === 0) return [];
  const measure = countedBy[declared.measure] ?? 'valid';
  const tally = async (side: readonly Evaluated[]): Promise<Tally> => {
    const all: [string, Tried][] = [];
    for (const { data, rollouts = [] } of side) {
      if (!suites.includes(data.suite.name)) continue;
      const found = await tallyOf(ledger, rollouts, data.split, measure);
      for (const [task, tried] of found) all.push([`${data.suite.name} ${task}`, tried]);
    }
    return new Map(all);
  };
  const difference = byTasks(await tally(mine), await tally(theirs));
  if (difference === null) return [];
  const { arm, reference } = declared;
  const { units, better, worse, value, interval, p, method } = difference;
  return [
    {
      ...{ arm, reference, unit, suites, tasks: units, better, worse, difference: value, p, method },
      low: interval?.low ?? null,
      high: interval?.high ?? null,
    },
  ];
}
