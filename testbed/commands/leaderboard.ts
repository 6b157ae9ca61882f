// `icecore lake leaderboard`: has several policies plan for the same lakes, and compares them.
import { availableParallelism } from 'node:os';
import { IcecoreError } from '../../schemas/errors.ts';
import type { LakeDifference, LakeLeaderboard } from '../../schemas/lake-evaluation-output.ts';
import { nearest } from '../../schemas/nearest.ts';
import { type ColumnOf, type Document, paragraph, right, table } from '../../src/document/index.ts';
import type { CommandContext } from '../../src/library/plugins/index.ts';
import { confidence, count, type Evaluation, money, paired } from '../../src/library/plugins/tools.ts';
import { openLake } from '../lake/environment.ts';
import { scriptedPolicies } from '../scripted.ts';
import { conditionsText, conditionText, intervalText, percentText, subjectText } from './evaluate.ts';
import {
  type Conditions,
  conditionsIn,
  conditionsOf,
  evaluatePolicy,
  lakesFor,
  type Measure,
  measures,
  type Outcome,
  rateOf,
  rateWhere,
  sayFaults,
  spendingsIn,
} from './evaluation.ts';
import type { LeaderboardOptions } from './options.ts';

interface Standing extends Outcome {
  /** Null for the baseline itself. */
  readonly against: Readonly<Record<Measure, LakeDifference>> | null;
}

export async function leaderboard(
  context: CommandContext,
  named: readonly string[],
  options: LeaderboardOptions,
): Promise<number> {
  const { jobs = availableParallelism(), spendingCap, baseline } = options;
  const names = named.length === 0 ? Object.keys(scriptedPolicies) : named;
  refuseUnknownBaseline(baseline, names);
  const openLakes = await lakesFor(context, options, jobs);
  const conditions = conditionsOf(options);
  const opening = { environment: openLake(), threads: jobs, ...(spendingCap === undefined ? {} : { spendingCap }) };
  const outcomes = await context.workspace.withPolicies(names, opening, async (policies) => {
    const lakes = await openLakes();
    for (const policy of policies) await policy.announce(lakes.environment, { ...lakes.subject, ...conditions });
    const done: Outcome[] = [];
    for (const policy of policies) done.push(await evaluatePolicy(context, policy, lakes, conditions));
    return done;
  });
  const ranked = rankedAgainst(outcomes, baseline);
  if (context.flags.json) await context.printJson(resultOf(ranked, conditions));
  else await context.print(leaderboardDocument(ranked, conditions), options);
  let code = 0;
  for (const standing of ranked) code = Math.max(code, await sayFaults(context, standing));
  return code;
}

function refuseUnknownBaseline(baseline: string | undefined, names: readonly string[]): void {
  if (baseline === undefined || names.includes(baseline)) return;
  const near = nearest(baseline, names);
  throw new IcecoreError('usage', `--baseline: found "${baseline}", allowed: ${names.join(', ')}`, {
    facts: { field: '--baseline', found: baseline, allowed: names, nearest: near },
    remedy: near === null ? 'Name one of the compared policies.' : `Did you mean ${near}?`,
  });
}

/** Sorted by the share of valid plans, then by that of optimal plans. Lakes are the same for all. */
function rankedAgainst(outcomes: readonly Outcome[], baseline: string | undefined): readonly Standing[] {
  const value = ({ evaluation }: Outcome, measure: Measure): number => rateOf(evaluation, measure).value ?? -1;
  const ranked = outcomes.toSorted(
    (a, b) => value(b, 'valid') - value(a, 'valid') || value(b, 'optimal') - value(a, 'optimal'),
  );
  const base = ranked.find(({ name }) => name === baseline) ?? ranked[0];
  const difference = (one: Outcome, measure: Measure): LakeDifference =>
    paired(one.shares[measure], base?.shares[measure] ?? []);
  return ranked.map((one) => ({
    ...one,
    against: one === base ? null : { valid: difference(one, 'valid'), optimal: difference(one, 'optimal') },
  }));
}

function baselineOf(ranked: readonly Standing[]): string {
  return ranked.find(({ against }) => against === null)?.name ?? '';
}

function resultOf(ranked: readonly Standing[], { seed, samples, greedy }: Conditions): LakeLeaderboard {
  const [{ evaluation }] = ranked as [Standing];
  return {
    as_of: new Date().toISOString(),
    total: ranked.length,
    rows: ranked.map(rowOf),
    truncated: false,
    baseline: baselineOf(ranked),
    suite: evaluation.suite,
    split: evaluation.split,
    ...{ seed, samples, decoding: { greedy } },
    interval: { method: 'wilson', level: confidence },
    differences: { method: 'paired', level: confidence },
  };
}

function rowOf({ name, evaluation, faults, pace, against }: Standing): LakeLeaderboard['rows'][number] {
  const { policy = { name }, checkpoint = null, rollouts } = evaluation;
  const conditions = [...conditionsIn(evaluation, 'agents'), ...conditionsIn(evaluation, 'waits')];
  return {
    ...{ named: name, policy, checkpoint, rollouts, against, faults: [...faults], measured: pace },
    valid: rateOf(evaluation, 'valid'),
    optimal: rateOf(evaluation, 'optimal'),
    cells: conditions.map((condition) => ({
      conditions: { [condition.name]: condition.value },
      valid: rateWhere(evaluation, 'valid', [condition]),
      optimal: rateWhere(evaluation, 'optimal', [condition]),
    })),
    spent: spendingsIn(evaluation).map(({ family: _, ...measurement }) => measurement),
  };
}

function leaderboardDocument(ranked: readonly Standing[], conditions: Conditions): Document {
  const [{ evaluation }] = ranked as [Standing];
  const digest = evaluation.suite.digest?.slice(0, 12);
  const rates = 'Shares in %, with 95 % intervals in brackets.';
  const differences = `Differences from ${baselineOf(ranked)} are paired, lake by lake; +better -worse are lakes with more and fewer valid plans.`;
  const faults = ranked.filter((one) => one.faults.length > 0).map(faultsText);
  const last = [ranked.length === 1 ? rates : `${rates} ${differences}`, ...faults];
  return {
    title: null,
    blocks: [paragraph(`${subjectText(evaluation)} (${digest}), ${conditionsText(conditions)}`)],
    sections: [
      { title: null, blocks: [table(ranked, columnsOf(ranked), { repeats: true })] },
      { title: null, blocks: last.map((text) => paragraph(text)) },
    ],
  };
}

function faultsText({ name, faults }: Standing): string {
  return `${name}: no evidence from ${faults.map(({ kind, count: times }) => `${kind} ${count(times)}`).join(', ')}.`;
}

/** Valid plans by the number of agents, then by waits, if lakes differ in these. */
function columnsOf(ranked: readonly Standing[]): readonly ColumnOf<Standing>[] {
  const [{ evaluation }] = ranked as [Standing];
  const differing = [conditionsIn(evaluation, 'agents'), conditionsIn(evaluation, 'waits')];
  return [
    { title: 'policy', mark: 'strong', cell: ({ name }) => name },
    ...measures.map((measure) =>
      right<Standing>(measure, (one) => {
        const rate = rateOf(one.evaluation, measure);
        return `${percentText(rate)} ${intervalText(rate)}`.trim();
      }),
    ),
    right('difference', ({ against }) => (ranked.length === 1 ? '' : differenceText(against))),
    right('+better -worse', ({ against }) =>
      against?.valid ? `+${count(against.valid.better)} -${count(against.valid.worse)}` : '',
    ),
    right('cost', (one) => costText(one.evaluation)),
    ...differing
      .filter((conditions) => conditions.length > 1)
      .flat()
      .map((condition) =>
        right<Standing>(conditionText(condition), (one) =>
          percentText(rateWhere(one.evaluation, 'valid', [condition])),
        ),
      ),
  ];
}

function differenceText(against: Standing['against']): string {
  if (against === null) return 'baseline';
  if (against.valid === null) return '';
  const signed = (share: number): string => `${share < 0 ? '-' : '+'}${Math.abs(100 * share).toFixed(1)}`;
  const { value, low, high } = against.valid;
  return `${signed(value)} [${signed(low)}, ${signed(high)}]`;
}

/** The cost, if known. */
function costText(evaluation: Evaluation): string {
  const costs = spendingsIn(evaluation).filter(({ measure }) => measure.startsWith('cost/'));
  return costs
    .flatMap(({ measure, value }) => (typeof value === 'number' ? [money(value, measure.slice('cost/'.length))] : []))
    .join(' + ');
}
