-- Engineers: how good their proposals were, and what came of those that were adopted, a row each engineer, model and form in
-- an environment. Those of ablations are counted in, save in what came of them: an arm's are adopted nowhere.
--
--   environment    the environment
--   engineer       who was asked
--   model          the model the engineer asks
--   form           the form of the context it was shown; null where none was shown
--   proposals      how often it answered
--   rejected       how many of its answers could not be used
--   errored        how often an error kept it from answering
--   adopted        how many of its proposals were adopted
--   in_ablations   how often it was asked as an arm of an ablation
--   clamps         how many values it proposed were moved to allowed ones
--   citation       mean citation score: how much of the evidence cited bears on its change, corrected for chance
--   preservation     mean preservation score: the share of working families that are kept
--   valid          mean score: the share of proposals that could be used as they came
--   brier          mean score of its predictions: 0 is best
--   rank_correlation  how well it ranks the families, on average: 1 is best
--   gains          after how many of the adopted proposals validation is known, before and after
--   mean_gain      by how much validation moved in the stage that followed, on average
--   gain_spread    the standard deviation of that
--   gain_low       the lower end of the 95 % interval of the mean, Student's
--   gain_high      the upper end
--   cost           what its answers cost, where that is known
--   currency       in which currency; null where several
--   input_tokens   tokens it was asked with
--   output_tokens  tokens it answered
--   runs           in how many runs it was asked

CREATE VIEW engineer_scorecard AS
WITH
course AS (SELECT run_id, stage, decision, decider, validation FROM log.course),
gained AS (
  SELECT d.proposal, avg(a.valid - b.valid) AS gain
  FROM course AS c
  JOIN log.adoptions AS d ON d.id = c.decision
  JOIN course AS p ON p.run_id = c.run_id AND p.stage = c.stage - 1
  JOIN log.rates AS a ON a.id = c.validation AND a.family IS NULL
  JOIN log.rates AS b ON b.id = p.validation AND b.family IS NULL
  WHERE c.decider = c.run_id AND d.proposal IS NOT NULL
  -- Runs that share a history may each adopt what was proposed in it.
  GROUP BY d.proposal
),
asked AS (
  SELECT p.*, r.environment, g.gain
  FROM proposals AS p
  LEFT JOIN log.begun_runs AS r ON r.run_id = p.run_id
  LEFT JOIN gained AS g ON g.proposal = p.id
  -- What was really decided is an arm as well, and counts once.
  WHERE p.arm IS DISTINCT FROM 'recorded'
),
summed AS (
  SELECT
    environment, engineer, model, form, count(*) FILTER (outcome <> 'errored') AS proposals,
    count(*) FILTER (outcome = 'rejected') AS rejected, count(*) FILTER (outcome = 'errored') AS errored,
    count(*) FILTER (adopted) AS adopted, count(ablation) AS in_ablations,
    coalesce(try_cast(sum(clamps) AS BIGINT), 0) AS clamps,
    avg(citation) AS citation, avg(preservation) AS preservation, avg(valid) AS valid, avg(brier) AS brier,
    avg(rank_correlation) AS rank_correlation, count(gain) AS gains, avg(gain) AS mean_gain,
    -- Of differences so large there is no square.
    CASE WHEN max(abs(gain)) < 1e150 THEN stddev_samp(gain) FILTER (abs(gain) < 1e150) END AS gain_spread, sum(cost) AS cost,
    CASE WHEN count(DISTINCT currency) = 1 THEN any_value(currency) END AS currency,
    try_cast(sum(input_tokens) AS BIGINT) AS input_tokens, try_cast(sum(output_tokens) AS BIGINT) AS output_tokens,
    count(DISTINCT run_id) AS runs
  FROM asked GROUP BY environment, engineer, model, form
)
SELECT
  environment, engineer, model, form, proposals, rejected, errored, adopted, in_ablations, clamps, citation, preservation, valid,
  brier, rank_correlation, gains, mean_gain, gain_spread,
  mean_gain - student_t(gains - 1) * gain_spread / sqrt(gains) AS gain_low,
  mean_gain + student_t(gains - 1) * gain_spread / sqrt(gains) AS gain_high,
  CASE WHEN currency IS NOT NULL THEN cost END AS cost, currency, input_tokens, output_tokens, runs
FROM summed;
