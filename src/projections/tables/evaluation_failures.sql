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

-- filled from decisions
CREATE TABLE log.evaluation_failures (
  owner VARCHAR,
  stage BIGINT,
  suite VARCHAR,
  split VARCHAR,
  family VARCHAR,
  failure_class VARCHAR,
  count BIGINT,
  policy VARCHAR,
  checkpoint VARCHAR,
  ablation VARCHAR,
  arm VARCHAR,
  unit VARCHAR,
  evaluation UUID,
  run_id VARCHAR
);

CREATE VIEW evaluation_failures AS
SELECT n.run, f.* EXCLUDE (owner)
FROM log.evaluation_failures AS f
LEFT JOIN log.run_names AS n ON n.run_id = f.run_id;
