-- Statistics of stages: what the rollouts of a stage add up to, for each split and family. Only rollouts that
-- count. In which ways they failed is in table stage_failures.
--
--   run         the run that recorded them; a fork shares those of its parent: see lineage
--   stage       its stage
--   split       probe, probe-holdout, train, validation, test, as rollouts have it
--   family  the set of knobs the tasks belong to; null: all of them
--   rollouts    how many there are
--   tasks       how many of them are the first try at their task
--   spoilt      how many a fault spoilt that was not the policy's: they are judged neither way
--   judged      how many others say whether they solved their task
--   solved      how many did
--   valid       their share of those judged
--   valid_low   the lower end of its 95 % interval; tries of one task are alike, so that it follows from how many tasks
--               there are
--   valid_high  the upper end
--   reward      the mean reward, of those that have one
--   decisions   the mean number of decisions, of those that tell it
--   truncated   the share of answers that were cut
--   run_id      the identity of the run

-- What rollouts that count add up to. What came after a seal is seldom there, and then worth a second look at its attempts.
CREATE VIEW log.counted AS
WITH
counting AS (SELECT * FROM log.counting WHERE shard IS NOT NULL)
SELECT a.run, a.run_id, a.stage, t.* EXCLUDE (attempt)
FROM counting AS a JOIN log.tallies AS t ON t.attempt = a.attempt
WHERE a.upto > a.last
UNION ALL BY NAME
SELECT
  a.run, a.run_id, a.stage, split, family, failure_class, count(*) AS rollouts,
  count(*) FILTER (coalesce(sample, 0) = 0) AS tasks, count(error_kind) AS spoilt,
  count(success) FILTER (error_kind IS NULL) AS judged,
  count(*) FILTER (success AND error_kind IS NULL) AS solved, count(*) FILTER (truncated) AS truncated,
  coalesce(sum(reward), 0) AS reward, count(reward) AS rewarded,
  coalesce(sum(decisions::DOUBLE), 0) AS decisions, count(decisions) AS decided
FROM counting AS a JOIN log.rollouts AS r ON r.attempt = a.attempt AND r.revision < a.upto
WHERE a.upto <= a.last
GROUP BY ALL;

CREATE VIEW stage_stats AS
SELECT
  run, stage, split, family, rollouts, tasks, spoilt, judged, solved, solved / nullif(judged, 0) AS valid,
  wilson_low(solved / nullif(judged, 0) * alike, alike) AS valid_low,
  wilson_high(solved / nullif(judged, 0) * alike, alike) AS valid_high,
  reward / nullif(rewarded, 0) AS reward, decisions / nullif(decided, 0) AS decisions,
  truncated / rollouts AS truncated, run_id
FROM (
  SELECT *, CASE WHEN tasks = 0 THEN judged ELSE judged / rollouts * tasks END AS alike
  FROM (
    SELECT
      run, run_id, stage, split, family, grouping(family) = 1 AS pooled, sum(rollouts)::BIGINT AS rollouts,
      sum(tasks)::BIGINT AS tasks, sum(spoilt)::BIGINT AS spoilt, sum(judged)::BIGINT AS judged,
      sum(solved)::BIGINT AS solved, sum(truncated)::BIGINT AS truncated, sum(reward) AS reward,
      sum(rewarded)::BIGINT AS rewarded, sum(decisions) AS decisions, sum(decided)::BIGINT AS decided
    FROM log.counted
    GROUP BY GROUPING SETS ((run, run_id, stage, split, family), (run, run_id, stage, split))
  )
)
WHERE pooled OR family IS NOT NULL;
