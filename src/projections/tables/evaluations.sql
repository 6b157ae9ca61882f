-- Evaluations: what was measured of a policy on a suite of tasks, one row per measure. Evaluations of an ablation's arms
-- are included; they have an ablation, an arm and a unit. Those with an arm_run repeat evaluations of that run.

-- filled from decisions, shown with run: the run; of an arm, the run whose history it replays
CREATE TABLE log.evaluations (
  owner VARCHAR,
  stage BIGINT,            -- its stage; null for an evaluation outside stages
  suite VARCHAR,           -- the suite of tasks
  split VARCHAR,           -- the purpose of the suite: validation suites watch a run, test suites are benchmarks
  family VARCHAR,          -- the task family; null: all families
  conditions JSON,         -- what else identifies the cell of the suite, as JSON; null where the row is not of a single
                           -- cell
  measure VARCHAR,         -- what was measured: valid, optimal, cost
  value DOUBLE,            -- the value; null where there is none
  value_reason VARCHAR,    -- why there is no value
  count BIGINT,            -- number of rollouts that had it, where it was counted
  out_of BIGINT,           -- number of rollouts counted
  low DOUBLE,              -- the lower end of its interval; where a count has no recorded interval, Wilson's 95 %
                           -- interval
  high DOUBLE,             -- the upper end
  counts BOOLEAN,          -- whether it is the last evaluation of its stage on that suite, which replaces earlier ones
  rollouts BIGINT,         -- number of rollouts, in the cell or in all
  policy VARCHAR,          -- the policy
  checkpoint VARCHAR,      -- its checkpoint; null where it is not trained
  samples BIGINT,          -- rollouts per task
  suite_digest VARCHAR,    -- equal digests are the same tasks
  interval_method VARCHAR, -- the method of low and high, where the event says so
  interval_level DOUBLE,   -- their confidence level
  ablation VARCHAR,        -- the ablation; null for events of a run
  arm VARCHAR,             -- its arm
  unit VARCHAR,            -- the unit of analysis: arms are paired within it
  arm_run VARCHAR,         -- the run that the arm continues as, by identity; it has the same evaluation
  happened_at TIMESTAMP,   -- when it was made (UTC)
  id UUID,                 -- the event
  run_id VARCHAR           -- the identity of the run
);
