-- Learning signal: how much there was to learn in each stage of a run's history, and how that developed. A sample group
-- whose rewards are all equal teaches nothing.

-- filled from decisions
CREATE TABLE log.learning_signal (
  owner VARCHAR,
  stage BIGINT,              -- a stage of its history
  family VARCHAR,            -- the task family; null: all families
  sample_groups BIGINT,      -- number of sample groups
  with_variance BIGINT,      -- number of them whose rewards differed
  learning_signal DOUBLE,    -- the second divided by the first
  signal_low DOUBLE,         -- the lower end of its 95 % interval
  signal_high DOUBLE,        -- the upper end
  signal_before DOUBLE,      -- the learning signal in the stage before
  change DOUBLE,             -- the change since the stage before
  collapsed BOOLEAN,         -- whether an alert reports a collapse
  entropy DOUBLE,            -- the entropy of the policy
  entropy_change DOUBLE,     -- its change since the stage before
  kl DOUBLE,                 -- the KL divergence from the start of training
  sampled_share DOUBLE,      -- the share of the sampled tasks
  agent_steps BIGINT,        -- agent steps of training in the stage
  agent_steps_so_far BIGINT, -- agent steps of all stages up to it
  recorded_by VARCHAR,       -- the run that recorded the stage
  training UUID,             -- the training: training.id
  run_id VARCHAR             -- the identity of the run
);

CREATE VIEW learning_signal AS
SELECT
  n.run, -- the run; a fork has the stages it shares, too
  s.* EXCLUDE (owner) REPLACE (r.run AS recorded_by)
FROM log.learning_signal AS s
JOIN log.run_names AS n ON n.run_id = s.run_id
JOIN log.run_names AS r ON r.run_id = s.recorded_by;
