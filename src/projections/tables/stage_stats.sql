-- Statistics of stages: what the rollouts of a stage add up to, for each split and group. Only rollouts that count.
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
--   failures    how many failed in which way, the most frequent first: failures['hole']; a rollout counts by the
--               failure that names it
--   run_id      the identity of the run

-- How rollouts are counted: all of them once by what can be grouped cheaply, so that the rest works on little.
CREATE VIEW log.tallies AS
WITH
whole AS (
  SELECT
    attempt, split, group_name, failure_class, success, error_kind IS NOT NULL AS spoilt,
    count(*)::DOUBLE AS rollouts, count(*) FILTER (coalesce(sample, 0) = 0)::DOUBLE AS tasks,
    count(*) FILTER (truncated)::DOUBLE AS truncated,
    sum(reward) AS reward, count(reward)::DOUBLE AS rewarded, sum(decisions::DOUBLE) AS decisions,
    count(decisions)::DOUBLE AS decided
  FROM log.rollouts GROUP BY ALL
),
-- What came after a seal is seldom there, and then worth a second look at its attempts; a join for each rollout is not.
cut AS (
  SELECT
    r.attempt, split, group_name, failure_class, success, error_kind IS NOT NULL AS spoilt,
    count(*)::DOUBLE AS rollouts, count(*) FILTER (coalesce(sample, 0) = 0)::DOUBLE AS tasks,
    count(*) FILTER (truncated)::DOUBLE AS truncated,
    sum(reward) AS reward, count(reward)::DOUBLE AS rewarded, sum(decisions::DOUBLE) AS decisions,
    count(decisions)::DOUBLE AS decided
  FROM log.rollouts AS r
  JOIN log.counting AS a ON a.attempt = r.attempt AND r.revision < a.upto
  WHERE a.upto <= a.last
  GROUP BY ALL
)
SELECT whole.* FROM whole JOIN log.counting AS a ON a.attempt = whole.attempt AND a.upto > a.last
UNION ALL
SELECT * FROM cut;

CREATE VIEW stage_stats AS
WITH
-- A stage is known by its first attempt meanwhile: numbers are quicker to group by than names.
places AS (
  SELECT run, run_id, stage, attempt, min(attempt) OVER (PARTITION BY run_id, stage) AS place FROM log.counting
),
tallies AS MATERIALIZED (SELECT p.place, t.* FROM log.tallies AS t JOIN places AS p ON p.attempt = t.attempt),
sums AS (
  SELECT
    place, split, group_name, grouping(group_name) = 1 AS pooled, sum(rollouts) AS rollouts, sum(tasks) AS tasks,
    sum(CASE WHEN spoilt THEN rollouts ELSE 0 END) AS spoilt,
    sum(CASE WHEN spoilt OR success IS NULL THEN 0 ELSE rollouts END) AS judged,
    sum(CASE WHEN success AND NOT spoilt THEN rollouts ELSE 0 END) AS solved, sum(truncated) AS truncated,
    sum(reward) AS reward, sum(rewarded) AS rewarded, sum(decisions) AS decisions, sum(decided) AS decided
  FROM tallies GROUP BY GROUPING SETS ((place, split, group_name), (place, split))
),
classes AS (
  SELECT place, split, group_name, grouping(group_name) = 1 AS pooled, failure_class, sum(rollouts) AS rollouts
  FROM tallies WHERE failure_class IS NOT NULL
  GROUP BY GROUPING SETS ((place, split, group_name, failure_class), (place, split, failure_class))
),
failures AS (
  SELECT place, split, group_name, pooled, list_sort(list({'less': -rollouts, 'class': failure_class})) AS classes
  FROM classes GROUP BY place, split, group_name, pooled
)
SELECT
  p.run, p.stage, s.split, s.group_name, s.rollouts::BIGINT AS rollouts, s.tasks::BIGINT AS tasks,
  s.spoilt::BIGINT AS spoilt, s.judged::BIGINT AS judged, s.solved::BIGINT AS solved,
  s.solved / nullif(s.judged, 0) AS valid,
  wilson_low(s.solved / nullif(s.judged, 0) * s.alike, s.alike) AS valid_low,
  wilson_high(s.solved / nullif(s.judged, 0) * s.alike, s.alike) AS valid_high,
  s.reward / nullif(s.rewarded, 0) AS reward, s.decisions / nullif(s.decided, 0) AS decisions,
  s.truncated / s.rollouts AS truncated,
  coalesce(map_from_entries(
    list_transform(f.classes, lambda one: {'key': one.class, 'value': (-one.less)::BIGINT})
  ), MAP {}) AS failures,
  p.run_id
FROM (SELECT *, CASE WHEN tasks = 0 THEN judged ELSE judged / rollouts * tasks END AS alike FROM sums) AS s
LEFT JOIN failures AS f
  ON f.place = s.place AND f.split = s.split AND f.pooled = s.pooled AND f.group_name IS NOT DISTINCT FROM s.group_name
JOIN places AS p ON p.attempt = s.place
WHERE s.pooled OR s.group_name IS NOT NULL;
