// Counts the results of an evaluation while rollouts pass by: in total, by family and by cell.

import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import { getOrCreate } from '../../base/get-or-create.ts';
import { type Cell, isSpoilt, type Task, type Verdict } from '../environments/environment.ts';
import type { Planned } from '../policies/policy.ts';
import { wilson } from '../statistics/distributions.ts';

type Evaluation = EventData['EvaluationRecorded'];
type Measurement = NonNullable<Evaluation['cells']>[number]['results'][number];

/** `adjacent`: all rollouts of a task follow each other, so that no task needs to be remembered. */
export type TaskOrder = 'adjacent' | 'any';

/** The number of different tasks. */
class DistinctTasks {
  readonly #met: Set<Task> | null;
  #last: Task | undefined;
  count = 0;

  constructor(order: TaskOrder) {
    this.#met = order === 'any' ? new Set() : null;
  }

  add(task: Task): void {
    const isNew = this.#met === null ? task !== this.#last : !this.#met.has(task);
    if (isNew) this.count += 1;
    this.#met?.add(task);
    this.#last = task;
  }
}

/** Counts how often something is true among the rollouts where it is known, and their tasks. */
class Share {
  count = 0;
  of = 0;
  readonly #tasks: DistinctTasks;

  constructor(order: TaskOrder) {
    this.#tasks = new DistinctTasks(order);
  }

  add(task: Task, isSo: boolean): void {
    this.of += 1;
    if (isSo) this.count += 1;
    this.#tasks.add(task);
  }

  /** Tries of one task are correlated, so the interval depends on the number of tasks. */
  measurement(measure: string): Measurement {
    const { count, of } = this;
    if (of === 0) return { measure, value: { value: null, reason: 'there is none to count' }, count, of };
    const tries = of / this.#tasks.count;
    return { measure, value: count / of, count, of, ...wilson(count / tries, of / tries) };
  }
}

/** Counts for one set of rollouts. */
class Counts {
  tried = 0;
  /** The number without a verdict because of a fault that is not the policy's. */
  readonly #faults: Share;
  readonly #valid: Share;
  readonly #optimal: Share;
  /** What was spent on models, by measure. */
  readonly spent = new Map<string, { total: number; rollouts: number }>();

  constructor(order: TaskOrder) {
    this.#faults = new Share(order);
    this.#valid = new Share(order);
    this.#optimal = new Share(order);
  }

  add(task: Task, { spoken }: Planned, verdict: Verdict): void {
    this.tried += 1;
    for (const [kind, tokens] of Object.entries(spoken?.usage ?? {})) this.#spend(`tokens/${kind}`, tokens);
    if (spoken?.cost !== undefined) this.#spend(`cost/${spoken.cost.currency}`, spoken.cost.total);
    this.#faults.add(task, isSpoilt(verdict));
    if (isSpoilt(verdict)) return;
    this.#valid.add(task, verdict.success);
    const optimal = isOptimal(verdict);
    if (optimal !== null) this.#optimal.add(task, optimal);
  }

  rates(knowsOptimal: boolean): Measurement[] {
    return [
      this.#valid.measurement('valid'),
      ...(knowsOptimal ? [this.#optimal.measurement('optimal')] : []),
      ...(this.#faults.count === 0 ? [] : [this.#faults.measurement('fault')]),
    ];
  }

  spendings(): Measurement[] {
    return Array.from(this.spent, ([measure, { total, rollouts }]) => ({
      measure,
      value: total,
      count: rollouts,
      of: this.tried,
    }));
  }

  #spend(measure: string, amount: number): void {
    const before = this.spent.get(measure) ?? { total: 0, rollouts: 0 };
    this.spent.set(measure, { total: before.total + amount, rollouts: before.rollouts + 1 });
  }
}

/** Null if unknown. A failure is not optimal, whether the environment reports it or not. */
function isOptimal({ success, metrics }: Exclude<Verdict, { spoilt: unknown }>): boolean | null {
  const optimal = metrics[optimalMetric];
  if (typeof optimal === 'number') return optimal === 1;
  return success ? null : false;
}

/** The metric that is 1 for an optimal answer. */
const optimalMetric = 'optimal';

interface CellCounts {
  readonly family: string;
  readonly conditions: Conditions;
  readonly counts: Counts;
}

export class Tally {
  readonly #descriptor: Descriptor;
  readonly #order: TaskOrder;
  readonly #all: Counts;
  readonly #families = new Map<string, Counts>();
  readonly #cells = new Map<string, CellCounts>();
  /** The number of failures by family and class. */
  readonly #failures = new Map<string, Map<string, number>>();
  #knowsOptimal = false;

  constructor(descriptor: Descriptor, order: TaskOrder = 'adjacent') {
    this.#descriptor = descriptor;
    this.#order = order;
    this.#all = new Counts(order);
  }

  add(task: Task, conditions: Conditions, planned: Planned, verdict: Verdict): void {
    const { family } = task;
    const key = JSON.stringify([family, conditions]);
    const newCounts = (): Counts => new Counts(this.#order);
    const cell = getOrCreate(this.#cells, key, () => ({ family, conditions, counts: newCounts() }));
    for (const counts of [this.#all, getOrCreate(this.#families, family, newCounts), cell.counts])
      counts.add(task, planned, verdict);
    if (isSpoilt(verdict)) return;
    if (Object.hasOwn(verdict.metrics, optimalMetric)) this.#knowsOptimal = true;
    const [failure] = verdict.failures;
    if (failure === undefined) return;
    const ways = getOrCreate(this.#failures, family, () => new Map<string, number>());
    ways.set(failure.class, (ways.get(failure.class) ?? 0) + 1);
  }

  /** Families in the order of the descriptor, then others; failure classes by frequency. */
  results(): Required<Pick<Evaluation, 'rollouts' | 'results' | 'failures'>> & Pick<Evaluation, 'cells'> {
    const described = this.#descriptor.families
      .map(({ family }) => family)
      .filter((family) => this.#families.has(family));
    const families = [...new Set([...described, ...this.#families.keys()])];
    const rates = (counts: Counts | undefined): Measurement[] => counts?.rates(this.#knowsOptimal) ?? [];
    const cells = [...this.#cells.values()];
    return {
      rollouts: this.#all.tried,
      results: [
        ...[...rates(this.#all), ...this.#all.spendings()].map((measured) => ({ family: null, ...measured })),
        ...families.flatMap((family) => rates(this.#families.get(family)).map((measured) => ({ family, ...measured }))),
      ],
      ...(cells.every(({ conditions }) => Object.keys(conditions).length === 0)
        ? {}
        : {
            cells: cells.map(({ family, conditions, counts }) => ({
              family,
              conditions,
              rollouts: counts.tried,
              results: rates(counts),
            })),
          }),
      failures: families.flatMap((family) => waysIn(family, this.#failures.get(family))),
    };
  }
}

function waysIn(family: string, ways: ReadonlyMap<string, number> = new Map()): NonNullable<Evaluation['failures']> {
  return Array.from(ways, ([name, count]) => ({ family, class: name, count })).sort(
    (one, other) => other.count - one.count || (one.class < other.class ? -1 : 1),
  );
}

export type Conditions = NonNullable<Cell['conditions']>;
