// Questions about runs and curricula with their SQL: `icecore sql --recipe` runs them, and docs/sql.md shows them with answers.
// RUN is replaced by the name of a run, and STAGE by a stage.

import { IcecoreError } from '../../../schemas/errors.ts';
import { quote } from '../../base/sql-quoting.ts';
import { distinctName } from '../../ledger/runs.ts';
import { readHistory } from '../../producers/history/reading.ts';
import { type Listing, listOf } from '../listing.ts';
import { withLedgerToAnswer } from '../opening/ledger.ts';
import { badOption } from '../option-error.ts';
import { type RunReference, stageNamed } from '../reference.ts';
import { runNamed } from '../run-named.ts';
import type { Session } from '../session.ts';

export interface Recipe {
  readonly name: string;
  readonly question: string;
  /** What the columns mean that do not say it themselves. */
  readonly columns: string;
  readonly sql: string;
}

export const recipes: readonly Recipe[] = [
  {
    name: 'families-by-stage',
    question: 'How did each family do, stage by stage?',
    columns: 'A column for each stage: the success rate of the family on validation after it.',
    sql: `PIVOT (FROM curriculum WHERE run = 'RUN' AND family IS NOT NULL)
ON stage USING first(valid) GROUP BY position, family ORDER BY position`,
  },
  {
    name: 'raised-shares',
    question: 'Which families improved after the engineer raised their share?',
    columns:
      'from_value, to_value: the share of the training data. valid_before, valid_after: the rate on validation, before and after training with it. apart: their 95 % intervals do not overlap.',
    sql: `SELECT stage, family, from_value, to_value, valid_before, valid_after, gain, after_low > before_high AS apart
FROM knob_changes
WHERE run = 'RUN' AND short_name = 'data' AND direction = 'up'
ORDER BY gain DESC, stage, knob`,
  },
  {
    name: 'forgotten',
    question: 'Was anything forgotten?',
    columns:
      'once, was: the earlier stage and its rate on validation. later, became: the later stage and its lower rate. apart: their 95 % intervals do not overlap.',
    sql: `SELECT run, family, b.stage AS once, b.valid AS was, a.stage AS later, a.valid AS became,
  a.valid_high < b.valid_low AS apart
FROM curriculum AS a JOIN curriculum AS b USING (run, family)
WHERE b.stage < a.stage AND a.valid < b.valid
ORDER BY run, family, later`,
  },
  {
    name: 'knob-effects',
    question: 'What did each kind of knob do, compared with families that were left unchanged?',
    columns:
      'mean_steps: the size of the changes, in steps of the knob. mean_gain: how much the rate on validation changed in the next stage, for whatever reason; gain_low and gain_high are over histories (a run and its forks are one) and need more than one. comparison_gain: the same of other families that were left unchanged. difference: the one less the other; empty where no family was left unchanged.',
    sql: `SELECT short_name, direction, changes, changed_alone, mean_steps, mean_gain, gain_low, gain_high,
  comparisons, comparison_gain, difference
FROM knob_effects
WHERE family IS NULL
ORDER BY short_name, direction`,
  },
  {
    name: 'weak-signal',
    question: 'How much of the training went to families with hardly any learning signal?',
    columns:
      'weak_families: rewards differ in under 10 % of their groups (a group: the attempts at one task). their_share: of the training data. taught_nothing: the share of groups, of all families, with equal rewards.',
    sql: `SELECT stage, count(*) FILTER (learning_signal < 0.1) AS weak_families,
  coalesce(sum(sampled_share) FILTER (learning_signal < 0.1), 0) AS their_share,
  1 - sum(with_variance) / sum(sample_groups) AS taught_nothing
FROM learning_signal
WHERE run = 'RUN' AND family IS NOT NULL
GROUP BY stage ORDER BY stage`,
  },
  {
    name: 'failures-by-stage',
    question: 'What does each failure class do over the stages?',
    columns: 'A column for each stage: the share of the attempts at the probe pool that failed in this way.',
    sql: `PIVOT (
  SELECT l.stage, failure_class, share
  FROM stage_failures AS f JOIN lineage AS l ON l.recorded_by = f.run AND l.stage = f.stage
  WHERE l.run = 'RUN' AND split = 'probe' AND family IS NULL
)
ON stage USING first(share) GROUP BY failure_class ORDER BY failure_class`,
  },
  {
    name: 'never-solved',
    question: 'Which tasks were never solved?',
    columns:
      'Of the probe pool, over all stages. position: the place of the family in the environment, from easy to hard.',
    sql: `SELECT position, family, count(*) AS tasks, string_agg(task, ' ' ORDER BY task) AS never_solved
FROM (
  SELECT l.run, family, task FROM rollouts AS r JOIN lineage AS l ON l.recorded_by = r.run AND l.stage = r.stage
  WHERE l.run = 'RUN' AND split = 'probe'
  GROUP BY ALL HAVING NOT bool_or(success)
) JOIN families USING (run, family)
GROUP BY position, family ORDER BY position`,
  },
  {
    name: 'waits',
    question: 'Are tasks that need a wait harder?',
    columns: 'valid: the success rate on the probe pool.',
    sql: `SELECT l.stage, facts['needsWait'] = 1 AS needs_wait, count(*) AS rollouts, avg(success::INT) AS valid
FROM rollouts AS r JOIN lineage AS l ON l.recorded_by = r.run AND l.stage = r.stage
WHERE l.run = 'RUN' AND split = 'probe'
GROUP BY ALL ORDER BY ALL`,
  },
  {
    name: 'plan-quality',
    question: 'How far from the best are the plans that work?',
    columns:
      'On the probe pool. optimal: the share of solved attempts that cost the least possible. waits: mean number. stretch: the cost divided by the least possible cost.',
    sql: `SELECT l.stage, count(*) AS solved, avg(metrics['optimal']) AS optimal, avg(metrics['waits']) AS waits,
  quantile_cont(metrics['stretch'], 0.5) AS median_stretch, quantile_cont(metrics['stretch'], 0.9) AS p90_stretch
FROM rollouts AS r JOIN lineage AS l ON l.recorded_by = r.run AND l.stage = r.stage
WHERE l.run = 'RUN' AND split = 'probe' AND success
GROUP BY l.stage ORDER BY l.stage`,
  },
  {
    name: 'probe-vs-validation',
    question: 'Does the probe pool, which engineers see evidence of, agree with validation?',
    columns:
      'correlation: of the rates of families. outside: families whose rate on validation is outside the 95 % interval of their rate on probe.',
    sql: `SELECT c.stage, corr(p.valid, c.valid) AS correlation, avg(p.valid - c.valid) AS probe_higher_by,
  count(*) FILTER (c.valid NOT BETWEEN p.valid_low AND p.valid_high) AS outside, count(*) AS families
FROM curriculum AS c JOIN stage_stats AS p ON p.run = c.recorded_by AND p.stage = c.stage AND p.family = c.family
WHERE c.run = 'RUN' AND p.split = 'probe'
GROUP BY c.stage ORDER BY c.stage`,
  },
  {
    name: 'benchmarks',
    question: 'Do the benchmarks, which no engineer sees, move along?',
    columns: 'A column for each benchmark: the success rate.',
    sql: `PIVOT (
  SELECT l.stage, suite, value
  FROM evaluations AS e JOIN lineage AS l ON l.recorded_by = e.run AND l.stage = e.stage
  WHERE l.run = 'RUN' AND e.ablation IS NULL AND counts AND measure = 'valid' AND family IS NULL AND conditions IS NULL
)
ON suite USING first(value) GROUP BY stage ORDER BY stage`,
  },
  {
    name: 'fork-vs-parent',
    question: 'How does the fork compare with the run it left?',
    columns:
      'recorded_by: the run that recorded the stage, for a fork its parent up to where it left. valid, optimal: rates on validation.',
    sql: `SELECT stage, run, recorded_by, engineer, valid, valid_low, valid_high, optimal
FROM curriculum
WHERE family IS NULL
ORDER BY stage, run`,
  },
  {
    name: 'citations',
    question: 'Which changes cite nothing, or the evidence of another family?',
    columns:
      'rests_on: the closest evidence that the change cites. cited: the mean number of cited facts and examples.',
    sql: `SELECT run, stage, engineer, rests_on, count(*) AS changes, avg(len(cites)) AS cited
FROM knob_changes
GROUP BY ALL ORDER BY ALL`,
  },
  {
    name: 'cited-evidence',
    question: 'Which evidence does each change cite?',
    columns: 'cited: ids of evidence in the context, with the value where it is a number.',
    sql: `SELECT c.knob, string_agg(e.evidence_id || coalesce(' ' || round(f.value, 2), ''), ', ' ORDER BY e.evidence_id) AS cited
FROM knob_changes AS c
JOIN decisions AS d ON d.id = c.decision
JOIN context_evidence AS e ON e.context = d.context_event AND list_contains(c.cites, e.evidence_id)
LEFT JOIN facts AS f ON f.summary = e.events[1] AND f.evidence_id = e.evidence_id
WHERE c.run = 'RUN' AND c.stage = STAGE
GROUP BY c.knob ORDER BY c.knob`,
  },
  {
    name: 'shown-rollouts',
    question: 'Which rollouts was the engineer shown, and how is one opened?',
    columns: 'rollout: the event, which icecore event show opens.',
    sql: `SELECT DISTINCT evidence_id, x.family, failure_class, description, rollout
FROM context_evidence AS e JOIN exemplars AS x USING (evidence_id)
WHERE e.run = 'RUN' AND e.stage = STAGE AND e.ablation IS NULL AND e.events[1] = x.rollout
ORDER BY evidence_id`,
  },
  {
    name: 'context-budget',
    question: 'What did engineers see, and what had no room?',
    columns:
      'In tokens. stats, behaviour, failures: what these modules took. cut: what was shortened. kept, dropped: how many of its entries.',
    sql: `SELECT run, stage, tokens, budget, module_tokens['stats'] AS stats, module_tokens['behaviour'] AS behaviour,
  module_tokens['failures'] AS failures, truncated[1].what AS cut, truncated[1].kept AS kept, truncated[1].dropped AS dropped
FROM contexts
WHERE ablation IS NULL
ORDER BY run, stage`,
  },
  {
    name: 'predictions',
    question: "How good were the engineers' predictions?",
    columns:
      'predicted, measured: mean rates of families on the probe-holdout. off_by: the mean error. within: predictions inside the 95 % interval of the measured rate.',
    sql: `SELECT run, stage, engineer, avg(predicted) AS predicted, avg(measured) AS measured, avg(abs(error)) AS off_by,
  corr(predicted, measured) AS correlation, count(*) FILTER (within) AS within, count(*) AS families
FROM predictions
WHERE ablation IS NULL
GROUP BY ALL ORDER BY ALL`,
  },
  {
    name: 'engineers',
    question: 'Which engineer does better, and at what cost?',
    columns:
      'proposals: in runs and ablations. brier, rank_correlation: of predicted rates. gains: proposals adopted in a run, with a validation before and after; of arms, only those of depth run have any. mean_gain: the mean change of the rate, over gain_histories histories (a run and its forks are one); gain_low and gain_high need more than one, because stages and forks of a run are not independent. A policy also gains by one more stage of training, and most in early stages: compare engineers that decided the same stages.',
    sql: `SELECT engineer, context_form, proposals, adopted, rejected, clamps, citation, brier, rank_correlation, gains, gain_histories, mean_gain, gain_low, gain_high, cost
FROM engineer_scorecard
ORDER BY adopted DESC, engineer, context_form`,
  },
  {
    name: 'seals',
    question: 'What did the seals leave out?',
    columns:
      'An attempt is one execution of a piece of work; a seal ends it. recorded: its events. counted: those within its seal, which is what all other tables count.',
    sql: `SELECT run, stage, count(*) AS attempts, sum(events) AS recorded, sum(events_counted) AS counted, bool_and(sealed) AS sealed
FROM attempts
GROUP BY run, stage ORDER BY run, stage`,
  },
  {
    name: 'stage-events',
    question: 'What happened in a stage, in order, and who did it?',
    columns: 'from_revision: the place of the first such event in the stream of the run.',
    sql: `SELECT min(revision) AS from_revision, type, actor, count(*) AS events
FROM events
WHERE run = 'RUN' AND stage = STAGE AND stream LIKE 'run-%'
GROUP BY type, actor ORDER BY from_revision`,
  },
];

/** The SQL of a recipe for a run and a stage, by default its last one. */
export function recipeSql({ sql }: Recipe, run: string, stage: number | null): string {
  const literal = quote(run);
  const last = `(SELECT max(stage) FROM stages WHERE run = ${literal})`;
  return sql.replaceAll("'RUN'", () => literal).replaceAll(/\bSTAGE\b/g, () => (stage === null ? last : String(stage)));
}

/** A recipe for a run or a stage; by default for the latest run. */
export async function askedRecipe(
  session: Session,
  name: string,
  reference: RunReference | null,
): Promise<Omit<Recipe, 'name'>> {
  const recipe = recipeNamed(name);
  if (!isAboutOneRun(recipe)) {
    if (reference === null) return recipe;
    throw new IcecoreError('usage', `--recipe ${name}: found ${reference.run}, but this recipe is about all runs`, {
      facts: { field: '--recipe', found: reference.run },
      remedy: 'Leave out the run.',
    });
  }
  const { run, stage } = reference ?? { run: 'latest', stage: null };
  return await withLedgerToAnswer(session, async (ledger) => {
    const found = await runNamed(session, ledger, run);
    const named = stage === null ? null : stageNamed(await readHistory(ledger, found.run), stage);
    return { ...recipe, sql: recipeSql(recipe, await distinctName(ledger, found), named) };
  });
}

export function isAboutOneRun({ sql }: Recipe): boolean {
  return sql.includes("'RUN'");
}

function recipeNamed(name: string): Recipe {
  const found = recipes.find((recipe) => recipe.name === name);
  if (found !== undefined) return found;
  const names = recipes.map((recipe) => recipe.name);
  throw badOption('--recipe', name, names.join(', '), { known: names });
}

/** All of them, for programs. */
export function listedRecipes(): Listing<Recipe> {
  return listOf(recipes);
}
