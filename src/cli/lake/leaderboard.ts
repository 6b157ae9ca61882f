// What `icecore lake leaderboard` does: has several policies plan for the same lakes, and tells which are better.
import type { LakeLeaderboard } from '../../../schemas/lake-evaluation-output.ts';
import { rulesIn } from '../../lab/registry.ts';
import { confidence } from '../../lab/statistics/distributions.ts';
import type { Context } from '../context.ts';
import {
  agentsIn,
  type Conditions,
  evaluated,
  meets,
  pooledCells,
  rateOf,
  spendingsIn,
  waitsIn,
} from './evaluation/evaluation.ts';
import { lakeOnThreads } from './evaluation/lakes.ts';
import { type EvaluatingOptions, meantBy, openLakes } from './evaluation/opening.ts';
import { withPolicies } from './evaluation/policies.ts';
import { tellPrice } from './evaluation/price-tag.ts';
import {
  type Entrant,
  leaderboardMarkdown,
  leaderboardText,
  requireBaseline,
  type Standing,
  standings,
  tellEvidence,
} from './evaluation/view.ts';

export interface LeaderboardOptions extends EvaluatingOptions {
  readonly baseline?: string;
  readonly format?: 'text' | 'md';
}

type Ranked = readonly [Standing, ...Standing[]];

export async function leaderboard(
  context: Context,
  named: readonly string[],
  options: LeaderboardOptions,
): Promise<number> {
  const { registry } = await context.session.plugins.all();
  const words = named.length === 0 ? rulesIn(registry).map(({ name }) => name) : named;
  requireBaseline(options.baseline, words);
  const meant = meantBy(context, options);
  const { jobs, cap, conditions } = meant;
  const environment = lakeOnThreads(jobs);
  try {
    const entrants = await withPolicies(context, { words, environment, jobs, cap }, async (policies) => {
      const lakes = await openLakes(context, environment, meant);
      const asked = { environment, ...lakes, ...conditions };
      for (const policy of policies) await tellPrice(context, policy, asked);
      const done: Entrant[] = [];
      for (const policy of policies) {
        const outcome = await evaluated(context, policy, asked);
        done.push({ word: policy.word, outcome });
      }
      return done;
    });
    const ranked = standings(entrants, options.baseline ?? null);
    if (context.flags.json) await context.printJson(told(ranked, conditions));
    else
      await context.print(
        (options.format === 'md' ? leaderboardMarkdown : leaderboardText)(context, ranked, conditions),
      );
    let code = 0;
    for (const { word, outcome } of ranked) code = Math.max(code, await tellEvidence(context, word, outcome));
    return code;
  } finally {
    await environment.close();
  }
}

function told(ranked: Ranked, { seed, samples, greedy }: Conditions): LakeLeaderboard {
  const { suite, split } = ranked[0].outcome.evaluation;
  return {
    as_of: new Date().toISOString(),
    total: ranked.length,
    rows: ranked.map(rowOf),
    truncated: false,
    baseline: ranked.find(({ against }) => against === null)?.word ?? '',
    suite,
    split,
    seed,
    samples,
    decoding: { greedy },
    interval: { method: 'wilson', level: confidence },
    differences: { method: 'paired', level: confidence },
  };
}

function rowOf({ word, outcome, against }: Standing): LakeLeaderboard['rows'][number] {
  const { evaluation, faults, pace } = outcome;
  const { policy = { name: word }, checkpoint = null, rollouts, cells = [] } = evaluation;
  return {
    named: word,
    policy,
    checkpoint,
    rollouts,
    valid: rateOf(evaluation, 'valid'),
    optimal: rateOf(evaluation, 'optimal'),
    cells: [...agentsIn(cells), ...waitsIn(cells)].map((condition) => {
      const own = cells.filter((cell) => meets(cell, condition));
      return {
        conditions: { [condition.name]: condition.value },
        valid: pooledCells(own, 'valid', evaluation.samples),
        optimal: pooledCells(own, 'optimal', evaluation.samples),
      };
    }),
    against,
    spent: spendingsIn(evaluation).map(({ family: _, ...measurement }) => measurement),
    faults: [...faults],
    measured: pace,
  };
}
