-- Statistics of stages: what the rollouts of a stage add up to, for each split and group. Only rollouts that
-- count. In which ways they failed is in table stage_failures.
--
--   run         the run that recorded them; a fork shares those of its parent: see lineage
--   stage       its stage
--   split       probe, held-back, train, validation, test, as rollouts have it
--   group_name  the set of knobs the tasks belong to; null: all of them
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

-- A stage is known by its first attempt here: numbers are quicker to group by than names.
CREATE VIEW log.places AS
SELECT *, min(attempt) OVER (PARTITION BY run_id, stage) AS place FROM log.counting;

-- All rollouts are added up by attempt. What came after a seal is seldom there, and then worth a second look at its
-- attempts; to ask each rollout whether it counts is not.
CREATE VIEW stage_stats AS
WITH
places AS MATERIALIZED (FROM log.places),
tallies AS (
  SELECT a.place, t.* EXCLUDE (attempt)
  FROM (
    SELECT
      attempt, split, group_name, count(*)::DOUBLE AS rollouts,
      count(*) FILTER (coalesce(sample, 0) = 0)::DOUBLE AS tasks, count(error_kind)::DOUBLE AS spoilt,
      count(success) FILTER (error_kind IS NULL)::DOUBLE AS judged,
      count(*) FILTER (success AND error_kind IS NULL)::DOUBLE AS solved,
      count(*) FILTER (truncated)::DOUBLE AS truncated, sum(reward) AS reward, count(reward)::DOUBLE AS rewarded,
      sum(decisions::DOUBLE) AS decisions, count(decisions)::DOUBLE AS decided
    FROM log.rollouts GROUP BY ALL
  ) AS t
  JOIN places AS a ON a.attempt = t.attempt AND a.upto > a.last
  UNION ALL
  SELECT
    a.place, split, group_name, count(*)::DOUBLE AS rollouts,
    count(*) FILTER (coalesce(sample, 0) = 0)::DOUBLE AS tasks, count(error_kind)::DOUBLE AS spoilt,
    count(success) FILTER (error_kind IS NULL)::DOUBLE AS judged,
    count(*) FILTER (success AND error_kind IS NULL)::DOUBLE AS solved,
    count(*) FILTER (truncated)::DOUBLE AS truncated, sum(reward) AS reward, count(reward)::DOUBLE AS rewarded,
    sum(decisions::DOUBLE) AS decisions, count(decisions)::DOUBLE AS decided
  FROM log.rollouts AS r
  JOIN places AS a ON a.attempt = r.attempt AND r.revision < a.upto
  WHERE a.upto <= a.last
  GROUP BY ALL
),
sums AS (
  SELECT
    place, split, group_name, grouping(group_name) = 1 AS pooled,
    sum(rollouts) AS rollouts, sum(tasks) AS tasks, sum(spoilt) AS spoilt, sum(judged) AS judged, sum(solved) AS solved,
    sum(truncated) AS truncated, sum(reward) AS reward, sum(rewarded) AS rewarded, sum(decisions) AS decisions,
    sum(decided) AS decided
  FROM tallies GROUP BY GROUPING SETS ((place, split, group_name), (place, split))
)
SELECT
  p.run, p.stage, s.split, s.group_name, s.rollouts::BIGINT AS rollouts, s.tasks::BIGINT AS tasks,
  s.spoilt::BIGINT AS spoilt, s.judged::BIGINT AS judged, s.solved::BIGINT AS solved,
  s.solved / nullif(s.judged, 0) AS valid,
  wilson_low(s.solved / nullif(s.judged, 0) * s.alike, s.alike) AS valid_low,
  wilson_high(s.solved / nullif(s.judged, 0) * s.alike, s.alike) AS valid_high,
  s.reward / nullif(s.rewarded, 0) AS reward, s.decisions / nullif(s.decided, 0) AS decisions,
  s.truncated / s.rollouts AS truncated, p.run_id
FROM (SELECT *, CASE WHEN tasks = 0 THEN judged ELSE judged / rollouts * tasks END AS alike FROM sums) AS s
JOIN places AS p ON p.attempt = s.place
WHERE s.pooled OR s.group_name IS NOT NULL;
