-- Failures of evaluations: how often the rollouts of an evaluation failed in each class. Only evaluations that count, those of
-- an ablation's arms included: a run's own have no arm (arm IS NULL).

-- filled from decisions, shown with run: the run; of an arm, the run whose history it replays
CREATE TABLE log.evaluation_failures (
  owner VARCHAR,
  stage BIGINT,          -- the stage; null for an evaluation outside stages
  suite VARCHAR,         -- the suite of tasks
  split VARCHAR,         -- the purpose of the suite
  family VARCHAR,        -- the task family; null where only the sum over families was recorded
  failure_class VARCHAR, -- the failure class
  count BIGINT,          -- number of failures
  policy VARCHAR,        -- the policy
  checkpoint VARCHAR,    -- its checkpoint
  ablation VARCHAR,      -- the ablation; null for events of a run
  arm VARCHAR,           -- its arm
  unit VARCHAR,          -- the unit of analysis
  evaluation UUID,       -- the evaluation: evaluations.id
  run_id VARCHAR         -- the identity of the run
);
