-- Failures of stages: how often the rollouts of a stage failed in which way, for each split and group. Only rollouts that
-- count, and each by the failure that names it.
--
--   run            the run that recorded them; a fork shares those of its parent: see lineage
--   stage          its stage
--   split          the split, as rollouts have it
--   group_name     the set of knobs the tasks belong to; null: all of them
--   failure_class  the way they failed
--   count          how many did
--   out_of         how many rollouts there are of that split and group, those that a fault spoilt left out
--   share          the first by the second
--   run_id         the identity of the run

CREATE VIEW stage_failures AS
WITH
counted AS (
  SELECT
    a.run, a.stage, r.split, r.group_name, grouping(r.group_name) = 1 AS pooled, r.failure_class, count(*) AS count,
    a.run_id
  FROM log.rollouts AS r
  JOIN log.counting AS a ON a.attempt = r.attempt AND r.revision < a.upto
  WHERE r.error_kind IS NULL
  GROUP BY GROUPING SETS (
    (a.run, a.run_id, a.stage, r.split, r.group_name, r.failure_class),
    (a.run, a.run_id, a.stage, r.split, r.failure_class)
  )
)
SELECT
  run, stage, split, group_name, failure_class, count, out_of, count / out_of AS share, run_id
FROM (
  SELECT
    *, try_cast(sum(count) OVER (PARTITION BY run_id, stage, split, pooled, group_name) AS BIGINT) AS out_of
  FROM counted
)
WHERE failure_class IS NOT NULL AND (pooled OR group_name IS NOT NULL);
