-- Stages: a row for each stage of a run. For the stages a fork shares, see lineage.

-- filled from decisions
CREATE TABLE log.stages (
  owner VARCHAR,
  stage BIGINT,                 -- its stage, from 1
  completed BOOLEAN,
  configuration VARCHAR,        -- the digest of the current configuration; table configs has its knobs
  decided_by VARCHAR,           -- who decided it: engineer, human, initial, kept (no proposal could be used, so it
                                -- stays), errored (the engineer could not answer, so it stays)
  engineer VARCHAR,             -- the engineer that was asked, or the person
  valid DOUBLE,                 -- the valid rate in its validation
  valid_low DOUBLE,             -- the lower end of its 95 % interval
  valid_high DOUBLE,            -- the upper end
  optimal DOUBLE,               -- the optimal rate
  agent_steps BIGINT,           -- agent steps of training
  updates BIGINT,               -- updates of the trainer
  started_at TIMESTAMP,         -- when it started (UTC)
  completed_at TIMESTAMP,       -- when it was complete (UTC)
  seconds DOUBLE,               -- how long it took
  alerts STRUCT(kind VARCHAR, family VARCHAR, measure VARCHAR, before_value DOUBLE, now_value DOUBLE)[], -- what a
                                -- person should look at: forgetting, or a collapse of the learning signal
  checkpoint_from VARCHAR,      -- the checkpoint training started from; null: from nothing
  checkpoint_to VARCHAR,        -- the checkpoint after training
  budgets MAP(VARCHAR, DOUBLE), -- its budget, by unit: budgets['agent-steps']
  spent MAP(VARCHAR, DOUBLE),   -- what it spent, by unit
  seed VARCHAR,                 -- its seed
  shards BIGINT,                -- number of shards of its rollouts
  adoption UUID,                -- the decision: decisions.id
  id UUID,                      -- the event that started it
  run_id VARCHAR                -- the identity of the run
);

CREATE VIEW stages AS
SELECT
  g.run, -- the run
  t.stage,
  CASE
    WHEN t.completed THEN 'completed'
    WHEN g.state = 'completed' THEN 'recorded'
    ELSE g.state
  END AS state, -- completed; otherwise the state of the run: running, stopped, failed, recorded
  t.* EXCLUDE (owner, stage, completed)
FROM log.stages AS t
JOIN log.standing AS g ON g.run_id = t.run_id;
