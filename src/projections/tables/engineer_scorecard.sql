-- Engineer scorecard: the quality of proposals and the results of those that were adopted, one row for each engineer,
-- model and context form in an environment. Proposals of ablations are included; only those of arms
-- that are runs (depth run) can be adopted and have gains. Arms with the actual decisions repeat proposals of a run, and
-- ablations those of their arms' runs, which count once.

CREATE VIEW engineer_scorecard AS
WITH
-- Runs that share a history may each adopt the same proposal.
gained AS (
  SELECT proposal, avg(gain) AS gain FROM log.curriculum WHERE family IS NULL AND proposal IS NOT NULL GROUP BY proposal
),
asked AS (
  SELECT p.*, r.environment, r.ablation IS NOT NULL AS of_arm, h.history, g.gain
  FROM proposals AS p
  LEFT JOIN log.histories AS h ON h.run_id = p.run_id
  LEFT JOIN log.runs AS r ON r.run_id = p.run_id
  LEFT JOIN gained AS g ON g.proposal = p.id
  -- The arm with the actual decisions repeats proposals of the run, and the ablation those of an arm's run: they count once.
  WHERE p.arm IS DISTINCT FROM 'actual' AND p.arm_run IS NULL
),
summed AS (
  SELECT
    environment, engineer, model, context_form, count(*) FILTER (outcome <> 'errored') AS proposals,
    count(*) FILTER (outcome = 'rejected') AS rejected, count(*) FILTER (outcome = 'errored') AS errored,
    count(*) FILTER (adopted) AS adopted, count(*) FILTER (ablation IS NOT NULL OR of_arm) AS in_ablations,
    coalesce(try_cast(sum(clamps) AS BIGINT), 0) AS clamps,
    avg(citation) AS citation, avg(preservation) AS preservation,
    -- What could not be used was no use. Other recorders may leave out the score of an answer.
    CASE WHEN count(usable) = count(*) FILTER (outcome = 'accepted') THEN
      avg(CASE WHEN outcome = 'rejected' THEN 0 ELSE usable END)
    END AS usable, avg(brier) AS brier,
    avg(rank_correlation) AS rank_correlation, count(gain) AS gains, sum(cost) AS cost,
    CASE WHEN count(DISTINCT currency) = 1 THEN any_value(currency) END AS currency,
    try_cast(sum(input_tokens) AS BIGINT) AS input_tokens, try_cast(sum(output_tokens) AS BIGINT) AS output_tokens,
    count(DISTINCT run_id) AS runs
  FROM asked GROUP BY environment, engineer, model, context_form
),
-- The stages of a run and its forks are not independent: a history counts once.
by_history AS (
  SELECT environment, engineer, model, context_form, count(DISTINCT run_id) AS runs, avg(gain) AS gain
  FROM asked WHERE gain IS NOT NULL GROUP BY environment, engineer, model, context_form, history
),
gain_summed AS (
  SELECT
    environment, engineer, model, context_form, sum(runs)::BIGINT AS gain_runs, count(*) AS gain_histories,
    avg(gain) AS mean_gain,
    -- The square of a larger difference overflows.
    CASE WHEN max(abs(gain)) < 1e150 THEN stddev_samp(gain) FILTER (abs(gain) < 1e150) END AS gain_spread
  FROM by_history GROUP BY environment, engineer, model, context_form
)
SELECT
  s.environment,    -- the environment
  s.engineer,       -- the engineer
  s.model,          -- the model the engineer asks
  s.context_form,   -- the context form it was shown; null where none was shown
  proposals,        -- number of answers
  rejected,         -- number of answers that could not be used
  errored,          -- number of times an error prevented an answer
  adopted,          -- number of its proposals that were adopted unchanged
  in_ablations,     -- number of times it was asked as an arm of an ablation
  clamps,           -- number of proposed values that were moved to allowed ones
  citation,         -- mean citation score: how much of the cited evidence concerns its change, corrected for chance
  preservation,     -- mean preservation score: the share of working families that are kept
  usable,           -- the share of proposals that could be used unchanged, those rejected included; null where some have no score
  brier,            -- mean Brier score of its predictions: 0 is best
  rank_correlation, -- mean rank correlation of its predictions with the results: 1 is best
  gains,            -- number of adopted proposals with a validation before and after
  coalesce(gain_runs, 0) AS gain_runs, -- number of runs with such proposals
  coalesce(gain_histories, 0) AS gain_histories, -- number of histories of those runs: a run and its forks are one
  mean_gain,        -- mean change of the valid rate in the stage that followed: the mean over histories of the mean of each
  gain_spread,      -- the standard deviation of that change from history to history
  mean_gain - student_t(gain_histories - 1) * gain_spread / sqrt(gain_histories) AS gain_low, -- the lower end of the 95 %
                    -- interval of the mean over histories (Student's t, not cut off at 1); null for a single history, whose
                    -- stages are not independent
  mean_gain + student_t(gain_histories - 1) * gain_spread / sqrt(gain_histories) AS gain_high, -- the upper end
  CASE WHEN currency IS NOT NULL THEN cost END AS cost, -- the cost of its answers, where it is known; an
                    -- answer that proposals share counts in each, and once in model_calls
  currency,         -- the currency of the cost; null where there are several
  input_tokens,     -- tokens of its prompts
  output_tokens,    -- tokens of its answers
  runs              -- number of runs it was asked in
FROM summed AS s
LEFT JOIN gain_summed AS g
  ON g.environment IS NOT DISTINCT FROM s.environment AND g.engineer IS NOT DISTINCT FROM s.engineer
    AND g.model IS NOT DISTINCT FROM s.model AND g.context_form IS NOT DISTINCT FROM s.context_form;
