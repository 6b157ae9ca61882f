-- Failures of stages: how often the rollouts of a stage failed in which way, for each split and family. Only rollouts that
-- count, and each by the failure that names it.
--
--   run            the run that recorded them; a fork shares those of its parent: see lineage
--   stage          its stage
--   split          the split, as rollouts have it
--   family     the set of knobs the tasks belong to; null: all of them
--   failure_class  the way they failed
--   count          how many did
--   out_of         how many rollouts there are of that split and family, those that a fault spoilt left out
--   share          the first by the second
--   run_id         the identity of the run

CREATE VIEW stage_failures AS
WITH
counted AS (
  SELECT
    run, stage, split, family, grouping(family) = 1 AS pooled, failure_class,
    sum(rollouts - spoilt)::BIGINT AS count, run_id
  FROM log.counted
  GROUP BY GROUPING SETS (
    (run, run_id, stage, split, family, failure_class), (run, run_id, stage, split, failure_class)
  )
  HAVING count > 0
)
SELECT
  run, stage, split, family, failure_class, count, out_of, count / out_of AS share, run_id
FROM (
  SELECT
    *, try_cast(sum(count) OVER (PARTITION BY run_id, stage, split, pooled, family) AS BIGINT) AS out_of
  FROM counted
)
WHERE failure_class IS NOT NULL AND (pooled OR family IS NOT NULL);
