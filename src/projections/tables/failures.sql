-- Failures: how rollouts failed, in the order it happened; the first failure names the rollout's failure class. Only
-- those of rollouts that count.

-- fill from FailureRecorded
CREATE TABLE log.failures (
  attempt UBIGINT AS (md5_number_lower(stream)),
  revision BIGINT,
  id UUID,                                   -- the event: the rollout's own, where that lists the failures
  version USMALLINT,
  happened_at TIMESTAMP,                     -- when it happened (UTC)
  recorded_at TIMESTAMP,
  actor VARCHAR,
  digest VARCHAR,
  causes JSON AS (CASE WHEN causes <> '[]' THEN causes END),
  rollout UUID AS (try_cast(data.rollout AS UUID)), -- the rollout: rollouts.id
  environment VARCHAR AS (data.environment), -- the environment
  task_digest VARCHAR AS (data.task),        -- the digest of the task
  split VARCHAR AS (data.split),             -- the split, as in rollouts
  family VARCHAR AS (data.family),           -- the task family
  policy VARCHAR AS (data.policy),           -- the policy
  classifier VARCHAR AS (data.classifier),   -- what assigned the failure class
  failures STRUCT(class VARCHAR, step BIGINT, message VARCHAR, details JSON)[] AS (data.failures)
);

CREATE VIEW failures AS
SELECT
  a.run,                          -- the run
  a.stage,                        -- its stage
  f.split,
  a.part,                         -- the part, as in rollouts
  f.family,
  failure.class AS failure_class, -- the failure class
  position,                       -- its position among the failures of its rollout, from 1
  failure.step,                   -- the step of the rollout it happened at, from 1
  failure.message,                -- the message of the environment
  failure.details,                -- where exactly, as JSON: agents, cell, line
  f.policy, f.environment, f.classifier, f.task_digest, f.rollout, f.happened_at, f.id,
  a.run_id                        -- the identity of the run
FROM (
  SELECT *, unnest(failures) AS failure, generate_subscripts(failures, 1) AS position
  FROM (
    FROM log.failures
    UNION ALL BY NAME
    SELECT *, id AS rollout FROM log.rollouts WHERE failures IS NOT NULL
  )
) AS f
JOIN log.counting AS a ON a.attempt = f.attempt AND f.revision < a.upto;
