// `icecore lake evaluate`: has one policy plan for many lakes, and rates the plans.
import { accessSync, closeSync, constants, openSync, writeSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import type { LakeEvaluation, LakeRollout } from '../../schemas/lake-evaluation-output.ts';
import { type Document, filled, paragraph, percent, right, section, strong, table } from '../../src/document/index.ts';
import type { CommandContext } from '../../src/library/plugins/index.ts';
import {
  confidence,
  count,
  duration,
  type Evaluated,
  type Evaluation,
  isSpoilt,
  jsonText,
  money,
  refuseToOverwrite,
  taskDigest,
  type Verdict,
} from '../../src/library/plugins/tools.ts';
import { openLake } from '../lake/environment.ts';
import type { Line } from '../lake/line.ts';
import {
  type Condition,
  type Conditions,
  conditionsIn,
  conditionsOf,
  evaluatePolicy,
  lakesFor,
  measures,
  type Outcome,
  rateOf,
  rateWhere,
  sayFaults,
  spendingsIn,
} from './evaluation.ts';
import type { EvaluateOptions } from './options.ts';

export async function evaluate(context: CommandContext, name: string, options: EvaluateOptions): Promise<number> {
  const { jobs = availableParallelism(), spendingCap } = options;
  const openLakes = await lakesFor(context, options, jobs);
  const conditions = conditionsOf(options);
  const path = await rolloutsPath(context, options);
  const opening = { environment: openLake(), threads: jobs, ...(spendingCap === undefined ? {} : { spendingCap }) };
  const outcome = await context.workspace.withPolicies([name], opening, async ([policy]) => {
    if (policy === undefined) throw new Error('one policy was named');
    const lakes = await openLakes();
    await policy.announce(lakes.environment, { ...lakes.subject, ...conditions });
    return await withRollouts(path, (onRollout) => evaluatePolicy(context, policy, lakes, conditions, onRollout));
  });
  if (context.flags.json) await context.printJson(resultOf(outcome, conditions));
  else {
    const { seconds, agentStepsPerSecond } = outcome.pace;
    await context.print(evaluationDocument(outcome, conditions));
    await context.say(
      `${count(outcome.evaluation.rollouts)} rollouts in ${duration(seconds)}, ${count(agentStepsPerSecond)} agent steps/s`,
    );
  }
  return await sayFaults(context, outcome);
}

async function rolloutsPath(
  { io, workspace }: CommandContext,
  { rollouts, lakes = '-' }: EvaluateOptions,
): Promise<string | null> {
  if (rollouts === undefined) return null;
  const path = refuseToOverwrite(io.cwd, rollouts, lakes, await workspace.ledgerFiles(), '--rollouts');
  // Fail before all lakes are generated.
  accessSync(dirname(path), constants.W_OK);
  return path;
}

async function withRollouts<Result>(
  path: string | null,
  body: (onRollout: (rollout: Evaluated) => void) => Promise<Result>,
): Promise<Result> {
  if (path === null) return await body(() => {});
  const file = openSync(path, 'w');
  try {
    return await body((rollout) => writeSync(file, `${jsonText(rolloutLine(rollout))}\n`));
  } finally {
    closeSync(file);
  }
}

function rolloutLine({ planned, verdict }: Evaluated): LakeRollout {
  const { task, sample, answer, truncated, agentSteps, sureness, spoken, measured } = planned;
  const { size, holes, agents } = task.instance as unknown as Line;
  const { needsWait } = task.facts;
  return {
    id: task.id,
    size,
    holes: holes.map(([row, column]) => [row, column]),
    agents: agents.map(({ start, goal }) => ({ start: [...start], goal: [...goal] })),
    digest: taskDigest(task),
    ...(typeof needsWait === 'boolean' ? { needsWait } : {}),
    sample,
    plan: isSpoilt(verdict) ? null : (verdict.understood ?? answer),
    ...(truncated === undefined ? {} : { truncated }),
    ...verdictFields(verdict),
    ...(agentSteps === undefined ? {} : { agentSteps }),
    ...(sureness === undefined ? {} : { sureness: { ...sureness } }),
    ...(spoken === undefined ? {} : spokenFields(spoken)),
    ...(measured === undefined ? {} : { measured }),
  };
}

function verdictFields(verdict: Verdict): Pick<LakeRollout, 'outcome' | 'cost' | 'optimal' | 'failures' | 'fault'> {
  if (isSpoilt(verdict)) return { outcome: null, cost: null, optimal: null, failures: [], fault: verdict.spoilt };
  const { outcome, metrics, failures, success } = verdict;
  const { cost, optimal } = metrics;
  return {
    outcome: outcome as LakeRollout['outcome'],
    cost: typeof cost === 'number' ? cost : null,
    optimal: typeof optimal === 'number' ? optimal === 1 : success ? null : false,
    failures: failures.map((failure) => ({ ...failure })),
  };
}

function spokenFields(spoken: NonNullable<Evaluated['planned']['spoken']>): Partial<LakeRollout> {
  const { key, completion, finishReason, usage, cost } = spoken;
  return {
    ...{ modelAnswer: key, completion, finishReason },
    ...(usage === undefined ? {} : { tokens: usage as Record<string, number> }),
    ...(cost === undefined ? {} : { spent: { currency: cost.currency, total: cost.total } }),
  };
}

function resultOf({ name, evaluation, faults, pace }: Outcome, { seed, samples, greedy }: Conditions): LakeEvaluation {
  const { policy = { name }, checkpoint = null, suite, split, rollouts, results, cells, failures } = evaluation;
  return {
    as_of: new Date().toISOString(),
    ...{ named: name, policy, checkpoint, suite, split, seed, samples, decoding: { greedy }, rollouts },
    results: [...results],
    cells: (cells ?? []) as LakeEvaluation['cells'],
    failures: (failures ?? []) as LakeEvaluation['failures'],
    interval: { method: 'wilson', level: confidence },
    faults: [...faults],
    measured: pace,
  };
}

function evaluationDocument(outcome: Outcome, conditions: Conditions): Document {
  const { name, evaluation, faults } = outcome;
  const { suite, checkpoint } = evaluation;
  const snapshot = checkpoint == null ? null : `checkpoint${digestText(checkpoint.digest)}, ${checkpoint.reference}`;
  return {
    title: null,
    blocks: [
      paragraph(strong(name), ` on ${subjectText(evaluation)}, ${conditionsText(conditions)}`),
      // Identifies the lakes and the checkpoint of an evaluation.
      paragraph(`lakes${digestText(suite.digest)}`),
      ...(snapshot === null ? [] : [paragraph(snapshot)]),
    ],
    sections: filled(
      [
        ratesTable(evaluation),
        sizesTable(evaluation),
        conditionsTable(evaluation),
        failuresTable(evaluation),
        table(faults, [
          { title: 'no evidence', mark: 'warning', cell: ({ kind }) => kind },
          right('times', (fault) => count(fault.count)),
          { title: 'the first', wraps: true, cell: ({ says }) => says },
        ]),
        spendingTable(outcome),
      ].map((block) => section(null, block.rows.length === 0 ? [] : [block])),
    ),
  };
}

function digestText(digest: string | undefined): string {
  return digest === undefined ? '' : ` ${digest.slice(0, 12)}`;
}

export function subjectText({ suite, split }: Evaluation): string {
  const suites = suite.parameters?.['suites'];
  const lakes = `${count(suite.tasks ?? 0)} lakes`;
  if (Array.isArray(suites)) return `${suites.length} suites, ${lakes}`;
  return suite.name === split ? `${lakes} of the split ${split}` : `${suite.name}, ${lakes}`;
}

export function conditionsText({ samples, greedy, seed }: Conditions): string {
  const tries = samples === 1 ? 'one try each' : `${count(samples)} tries each`;
  return `${tries}, ${greedy ? 'the best answer' : 'answers drawn'}, seed ${seed}`;
}

export function percentText({ value }: { readonly value: number | null }): string {
  return percent(value) || '-';
}

export function intervalText({ low, high }: { readonly low: number | null; readonly high: number | null }): string {
  return low === null || high === null ? '' : `[${(100 * low).toFixed(1)}, ${(100 * high).toFixed(1)}]`;
}

function ratesTable(evaluation: Evaluation) {
  const rates = measures.map((measure) => ({ measure, rate: rateOf(evaluation, measure) }));
  return table(rates, [
    { title: '', cell: ({ measure }) => measure },
    right('%', ({ rate }) => percentText(rate)),
    right('95 % interval', ({ rate }) => intervalText(rate)),
    right('plans', ({ rate }) => count(rate.count)),
    right('of', ({ rate }) => count(rate.of)),
  ]);
}

function sizesTable(evaluation: Evaluation) {
  const families = [...new Set(evaluation.results.flatMap(({ family }) => family ?? []))];
  return table(families, [
    right('size', (family) => `${family} x ${family}`),
    ...measures.map((measure) =>
      right<string>(`${measure} %`, (family) => percentText(rateOf(evaluation, measure, family))),
    ),
    right('n', (family) => count(rateOf(evaluation, 'valid', family).of)),
  ]);
}

/** Without rows if lakes differ neither in agents nor in waits. */
function conditionsTable(evaluation: Evaluation) {
  const [agents, waits] = [conditionsIn(evaluation, 'agents'), conditionsIn(evaluation, 'waits')];
  const both = (where: readonly Condition[]): string => {
    const rates = measures.map((measure) => rateWhere(evaluation, measure, where));
    return rates.every(({ of }) => of === 0) ? '' : rates.map(percentText).join(' / ');
  };
  return table(agents.length * Math.max(1, waits.length) < 2 ? [] : agents, [
    { title: 'valid / optimal %', cell: conditionText },
    ...waits.map((wait) => right<Condition>(conditionText(wait), (agent) => both([agent, wait]))),
    right('all', (agent) => both([agent])),
  ]);
}

export function conditionText({ name, value }: Condition): string {
  if (name === 'agents') return value === 1 ? '1 agent' : `${value} agents`;
  return name === 'wait' ? `${Math.round(100 * Number(value))} % wait` : value === true ? 'wait' : 'no wait';
}

const longestBar = 24;

/** By the first failure of each rollout, the most frequent first. */
function failuresTable({ failures = [] }: Evaluation) {
  const byClass = new Map<string, number>();
  for (const { class: name, count } of failures) byClass.set(name, (byClass.get(name) ?? 0) + count);
  const sum = [...byClass.values()].reduce((all, times) => all + times, 0);
  const most = Math.max(...byClass.values());
  const rows = [...byClass].sort(([, a], [, b]) => b - a);
  return table(rows, [
    { title: 'failed by', cell: ([name]) => name },
    right('times', ([, times]) => count(times)),
    right('%', ([, times]) => percent(times / sum)),
    { title: '', mark: 'bad', cell: ([, times]) => '█'.repeat(Math.max(1, Math.round((longestBar * times) / most))) },
  ]);
}

/** Without rows if no model was asked. Answers recorded earlier count with their original cost. */
function spendingTable({ evaluation, pace: { latencyMs } }: Outcome) {
  const rows = spendingsIn(evaluation).map(({ measure, value, count: tries = 0 }) => {
    const total = typeof value === 'number' ? value : 0;
    const each = total / Math.max(1, tries);
    const [kind = '', unit = ''] = measure.split('/');
    return kind === 'cost'
      ? ['cost', money(total, unit), money(each, unit)]
      : [`${unit} tokens`, count(total), count(each)];
  });
  const answered = latencyMs === null ? [] : [latencyMs.median, latencyMs.p95].map((ms) => duration(ms / 1000));
  if (rows.length > 0 && latencyMs !== null) rows.push(['answer after', '', answered.join(', 95 % within ')]);
  return table(rows, [
    { title: 'spent', cell: ([what = '']) => what },
    right('in all', ([, total = '']) => total),
    right('a try', ([, , each = '']) => each),
  ]);
}
