-- Failures of stages: how often the rollouts in the evidence of a stage failed in each class, by split and family. The
-- evidence is the probe pool and a sample of training, as in stage_stats. Only rollouts that count, each by its first failure class.

CREATE VIEW stage_failures AS
WITH
counted AS (
  SELECT
    run, stage, split, family, grouping(family) = 1 AS pooled, failure_class,
    sum(rollouts - errored)::BIGINT AS count, run_id
  FROM log.counted
  GROUP BY GROUPING SETS (
    (run, run_id, stage, split, family, failure_class), (run, run_id, stage, split, failure_class)
  )
  HAVING count > 0
)
SELECT
  run,                     -- the run that recorded them; a fork shares those of its parent: see lineage
  stage,                   -- its stage
  split,                   -- probe, or train: the sample of training
  family,                  -- the task family; null: all families
  failure_class,           -- the failure class
  count,                   -- number of rollouts that failed this way
  out_of,                  -- number of rollouts of that split and family, errored ones excluded
  count / out_of AS share, -- the first divided by the second
  run_id                   -- the identity of the run
FROM (
  SELECT
    *, try_cast(sum(count) OVER (PARTITION BY run_id, stage, split, pooled, family) AS BIGINT) AS out_of
  FROM counted
)
WHERE failure_class IS NOT NULL AND (pooled OR family IS NOT NULL);
