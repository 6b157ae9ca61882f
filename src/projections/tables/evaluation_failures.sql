-- Failures of evaluations: how often the rollouts of an evaluation failed in each class. Only evaluations that count.
--
--   run            the run; of an arm, the run whose history it replays
--   stage          the stage; null for an evaluation outside stages
--   suite          the suite of tasks
--   split          the purpose of the suite
--   family         the task family; null: all families
--   failure_class  the failure class
--   count          number of failures
--   policy         the policy
--   checkpoint     its checkpoint
--   ablation       the ablation; null for events of a run
--   arm            its arm
--   unit           the unit of analysis
--   evaluation     the evaluation: evaluations.id
--   run_id         the identity of the run

CREATE TABLE log.evaluation_failures (
  id UUID,
  family VARCHAR,
  failure_class VARCHAR,
  count BIGINT
);

-- fill from EvaluationRecorded, ArmEvaluated
INSERT INTO log.evaluation_failures
SELECT id, failure.family, failure.class, failure.count
FROM (SELECT id, unnest(data.failures) AS failure FROM batch);

CREATE VIEW evaluation_failures AS
SELECT
  e.run, e.stage, e.suite, e.split, f.family, f.failure_class, f.count, e.policy, e.checkpoint, e.ablation, e.arm,
  e.unit, f.id AS evaluation, e.run_id
FROM log.evaluation_failures AS f
JOIN log.all_evaluations AS e ON e.id = f.id
WHERE e.counts;
