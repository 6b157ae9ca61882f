-- Failures: how rollouts failed, in the order it happened; the first failure names the rollout's failure class. Only
-- those of rollouts that count.
--
--   run            the run
--   stage          its stage
--   split          the split, as in rollouts
--   part           the part, as in rollouts
--   family         the task family
--   failure_class  the failure class
--   position       its position among the failures of its rollout, from 1
--   step           the step of the rollout it happened at, from 1
--   message        the message of the environment
--   details        where exactly, as JSON: agents, cell, line
--   policy         the policy
--   environment    the environment
--   classifier     what assigned the failure class
--   task_digest    the digest of the task
--   rollout        the rollout: rollouts.id
--   happened_at    when it happened (UTC)
--   id             the event: the rollout's own, where that lists the failures
--   run_id         the identity of the run

CREATE TABLE log.failures (
  attempt UBIGINT,
  revision BIGINT,
  id UUID,
  version USMALLINT,
  happened_at TIMESTAMP,
  recorded_at TIMESTAMP,
  actor VARCHAR,
  digest VARCHAR,
  causes JSON,
  rollout UUID,
  environment VARCHAR,
  task_digest VARCHAR,
  split VARCHAR,
  family VARCHAR,
  policy VARCHAR,
  classifier VARCHAR,
  failures STRUCT(class VARCHAR, step BIGINT, message VARCHAR, details JSON)[]
);

-- fill from FailureRecorded
INSERT INTO log.failures
SELECT
  md5_number_lower(stream), revision, id, version, happened_at, recorded_at, actor, digest,
  CASE WHEN causes <> '[]' THEN causes END, try_cast(data.rollout AS UUID), data.environment, data.task, data.split,
  data.family, data.policy, data.classifier, data.failures
FROM batch;

CREATE VIEW failures AS
SELECT
  a.run, a.stage, f.split, a.part, f.family, failure.class AS failure_class, position, failure.step, failure.message,
  failure.details, f.policy, f.environment, f.classifier, f.task_digest, f.rollout, f.happened_at, f.id, a.run_id
FROM (
  SELECT *, unnest(failures) AS failure, generate_subscripts(failures, 1) AS position
  FROM (
    FROM log.failures
    UNION ALL BY NAME
    SELECT *, id AS rollout FROM log.rollouts WHERE failures IS NOT NULL
  )
) AS f
JOIN log.counting AS a ON a.attempt = f.attempt AND f.revision < a.upto;
