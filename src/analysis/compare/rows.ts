// A run as it stands beside others: who redesigned, how far it is, how good it got and on what course, and what it took.
import type { ComparedRun } from '../../../schemas/compare-output.ts';
import type { Rate } from '../../../schemas/run-output.ts';
import { configurationOf, sharesIn } from '../../producers/history/configurations.ts';
import { numberIn, rateOf, signalOf, unknownRate } from '../../producers/history/figures.ts';
import { isHidden } from '../history/hidden.ts';
import { formName } from '../history/runs.ts';
import { seedOf } from './arms.ts';
import type { Entrant } from './entrants.ts';
import { erroredUntil, evaluationsAt, type Point, stageAt, stagesUntil } from './points.ts';
import { overspentBy } from './spending.ts';
import { type Chosen, evaluationOf } from './suites.ts';
import { rateIn, type Tally } from './tasks.ts';

export interface Beside {
  readonly chosen: Chosen;
  /** Single tasks, where these are what runs are compared by. */
  readonly tally: Tally | null;
  /** Whether what no engineer is shown is told of as well. */
  readonly isOpen: boolean;
}

/** `point`: up to where it is told of; null where nothing can be told yet. */
export function rowOf(entrant: Entrant, point: Point | null, { chosen, tally, isOpen }: Beside): ComparedRun {
  const { label, read, asked: named, state } = entrant;
  const { run, name, at, history, parent, opaque } = read;
  const begun = history.started?.data;
  const stage = point === null ? null : stageAt(read, point);
  return {
    label,
    run,
    name,
    at,
    environment: begun?.environment.name ?? null,
    engineer: begun?.engineer?.name ?? null,
    form: begun?.contextForm === undefined ? null : formName(begun.contextForm),
    seed: seedOf(entrant),
    done: history.stages.filter(({ completed }) => completed !== null).length,
    planned: begun?.stages ?? null,
    state,
    asked: named,
    stage: typeof point === 'number' ? point : null,
    rate: tally === null ? rateAt(entrant, point, chosen) : rateIn(tally),
    course: courseOf(entrant, point, chosen),
    shares: stage === null ? [] : sharesIn(read.descriptor, configurationOf(read, stage.stage)),
    signal: stage === null ? null : signalOf(stage),
    suites: suitesAt(entrant, point, isOpen),
    errored: point === null ? [] : [...erroredUntil(entrant.read, point)],
    ...takenBy(entrant, point),
    overspent: overspentBy(entrant, point),
    parent: parent === null ? null : { ...parent },
    opaque: opaque.length,
  };
}

export function rateAt(entrant: Entrant, point: Point | null, chosen: Chosen): Rate {
  const evaluation = point === null ? null : evaluationOf(entrant, point, chosen);
  return evaluation === null ? { ...unknownRate } : rateOf(evaluation, chosen.measure);
}

function courseOf(entrant: Entrant, point: Point | null, chosen: Chosen): ComparedRun['course'] {
  if (point === null) return [];
  return stagesUntil(entrant.read, point).flatMap(({ stage }) => {
    const { value } = rateAt(entrant, stage, chosen);
    return value === null ? [] : [{ stage, value }];
  });
}

function suitesAt({ read }: Entrant, point: Point | null, isOpen: boolean): ComparedRun['suites'] {
  if (point === null) return [];
  const shown = evaluationsAt(read, point).filter((one) => isOpen || !isHidden(one));
  return shown.map((evaluation) => ({
    suite: evaluation.suite.name,
    split: evaluation.split,
    stage: typeof point === 'number' ? point : null,
    valid: rateOf(evaluation, 'valid'),
    optimal: rateOf(evaluation, 'optimal'),
  }));
}

/** Training until the point; models that were asked for what led there, and those that were the policy. */
function takenBy({ read }: Entrant, point: Point | null): Pick<ComparedRun, 'spent' | 'tokens' | 'cost'> {
  const [spent, cost, tokens] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()];
  const stages = point === null ? [] : stagesUntil(read, point);
  for (const { stage, training, proposals, rejections, errors, evaluations } of stages) {
    addAll(spent, training?.data.spent ?? {});
    for (const { data } of evaluations) addSpendings(data.results, cost, tokens);
    if (stage === point) continue;
    for (const { data } of [...proposals, ...rejections, ...errors]) {
      addAll(tokens, data.usage ?? {});
      if (data.cost !== undefined) addAll(cost, { [data.cost.currency]: data.cost.total });
    }
  }
  return { spent: Object.fromEntries(spent), cost: Object.fromEntries(cost), tokens: totalOf(tokens) };
}

function addAll(sums: Map<string, number>, amounts: Readonly<Record<string, number>>): void {
  for (const [unit, amount] of Object.entries(amounts)) sums.set(unit, (sums.get(unit) ?? 0) + amount);
}

type Results = ReturnType<typeof evaluationsAt>[number]['results'];

/** An evaluation says it by measure: `cost/USD`, `tokens/input`. */
function addSpendings(results: Results, cost: Map<string, number>, tokens: Map<string, number>): void {
  for (const { family, measure, value } of results) {
    const [kind, unit] = [measure.slice(0, measure.indexOf('/')), measure.slice(measure.indexOf('/') + 1)];
    if (family !== null || !['cost', 'tokens'].includes(kind)) continue;
    addAll(kind === 'cost' ? cost : tokens, { [unit]: numberIn(value) ?? 0 });
  }
}

/** What was reasoned is part of the output, what was cached of the input. */
function totalOf(tokens: ReadonlyMap<string, number>): number | null {
  if (tokens.size === 0) return null;
  const parts = new Set(['reasoning', 'cached', 'total']);
  let sum = 0;
  for (const [kind, amount] of tokens) if (!parts.has(kind)) sum += amount;
  return sum === 0 ? (tokens.get('total') ?? 0) : sum;
}
