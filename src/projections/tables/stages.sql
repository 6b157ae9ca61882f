-- Stages: what runs recorded of each of their stages. For the stages a fork shares, see lineage.
--
--   run              the run
--   stage            its stage, from 1
--   state            completed; otherwise the state of the run: running, stopped, failed, recorded
--   configuration    the digest of the configuration in force; table configs has its knobs
--   decided_by       who decided it: engineer, human, initial, kept (no proposal could be used, so it stays), errored
--                    (the engineer could not answer, so it stays)
--   engineer         the engineer that was asked, or the person
--   valid            the valid rate in its validation
--   valid_low        the lower end of its 95 % interval
--   valid_high       the upper end
--   optimal          the optimal rate
--   agent_steps      agent steps of training
--   updates          updates of the trainer
--   started_at       when it began (UTC)
--   completed_at     when it was complete (UTC)
--   seconds          how long it took
--   alerts           what a person should look at: forgetting, or a collapse of the learning signal
--   checkpoint_from  the checkpoint training started from; null: from nothing
--   checkpoint_to    the checkpoint after training
--   budgets          its budget, by unit: budgets['agent-steps']
--   spent            what it spent, by unit
--   seed             its seed
--   shards           number of shards of its rollouts
--   adoption         the decision: decisions.id
--   id               the event that began it
--   run_id           the identity of the run

-- filled from decisions
CREATE TABLE log.stages (
  owner VARCHAR,
  stage BIGINT,
  completed BOOLEAN,
  configuration VARCHAR,
  decided_by VARCHAR,
  engineer VARCHAR,
  valid DOUBLE,
  valid_low DOUBLE,
  valid_high DOUBLE,
  optimal DOUBLE,
  agent_steps BIGINT,
  updates BIGINT,
  started_at TIMESTAMP,
  completed_at TIMESTAMP,
  seconds DOUBLE,
  alerts STRUCT(kind VARCHAR, family VARCHAR, measure VARCHAR, before_value DOUBLE, now_value DOUBLE)[],
  checkpoint_from VARCHAR,
  checkpoint_to VARCHAR,
  budgets MAP(VARCHAR, DOUBLE),
  spent MAP(VARCHAR, DOUBLE),
  seed VARCHAR,
  shards BIGINT,
  adoption UUID,
  id UUID,
  run_id VARCHAR
);

CREATE VIEW stages AS
SELECT
  g.run, t.stage,
  CASE WHEN t.completed THEN 'completed' WHEN g.state = 'completed' THEN 'recorded' ELSE g.state END AS state,
  t.* EXCLUDE (owner, stage, completed)
FROM log.stages AS t
JOIN log.standing AS g ON g.run_id = t.run_id;
