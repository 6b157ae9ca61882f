-- Failures: the ways in which rollouts failed, in the order they happened; the first names the rollout. Only those of
-- rollouts that count.
--
--   run            the run
--   stage          its stage
--   split          whether its task was of the probe pool, its hidden part, the training or a benchmark
--   part           what the rollout was recorded of, as rollouts have it
--   family     the set of knobs the task belongs to
--   failure_class  the way it failed
--   place          which of the failures of its rollout, from 1
--   step           the step it happened at, from 1
--   says           what the environment says of it
--   details        where exactly, as JSON: agents, cell, line
--   policy         the policy that tried
--   environment    the environment
--   classifier     what told the classes apart
--   task_digest    the digest of the task
--   rollout        the rollout: rollouts.id
--   happened_at    when it happened (UTC)
--   id             the event: the rollout's own, where that tells of them
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
  failures STRUCT(class VARCHAR, step BIGINT, says VARCHAR, details JSON)[]
);

-- fill from FailureRecorded
INSERT INTO log.failures
SELECT
  md5_number_lower(stream), revision, id, version, happened_at, recorded_at, actor, digest,
  CASE WHEN causes <> '[]' THEN causes END, try_cast(data.rollout AS UUID), data.environment, data.instance, data.split,
  data.family, data.policy, data.classifier, data.failures
FROM batch;

CREATE VIEW failures AS
SELECT
  a.run, a.stage, f.split, a.part, f.family, failure.class AS failure_class, place, failure.step, failure.says,
  failure.details, f.policy, f.environment, f.classifier, f.task_digest, f.rollout, f.happened_at, f.id, a.run_id
FROM (
  SELECT *, unnest(failures) AS failure, generate_subscripts(failures, 1) AS place
  FROM (
    FROM log.failures
    UNION ALL BY NAME
    SELECT *, id AS rollout FROM log.rollouts WHERE failures IS NOT NULL
  )
) AS f
JOIN log.counting AS a ON a.attempt = f.attempt AND f.revision < a.upto;
