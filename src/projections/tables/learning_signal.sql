-- Learning signal: how much there was to learn in each stage of a run's history, and how that developed. A sample group
-- whose rewards are all equal teaches nothing.
--
--   run                 the run; a fork has the stages it shares, too
--   stage               a stage of its history
--   family              the task family; null: all families
--   sample_groups       number of sample groups
--   with_variance       number of them whose rewards differed
--   learning_signal     the second divided by the first
--   signal_low          the lower end of its 95 % interval
--   signal_high         the upper end
--   signal_before       the learning signal in the stage before
--   change              the change since the stage before
--   collapsed           whether an alert reports a collapse
--   entropy             the entropy of the policy
--   entropy_change      its change since the stage before
--   kl                  the KL divergence from where training began
--   sampled_share       the share of the sampled tasks
--   agent_steps         agent steps of training in the stage
--   agent_steps_so_far  agent steps of all stages up to it
--   recorded_by         the run that recorded the stage
--   training            the training: training.id
--   run_id              the identity of the run

-- filled from decisions
CREATE TABLE log.learning_signal (
  owner VARCHAR,
  stage BIGINT,
  family VARCHAR,
  sample_groups BIGINT,
  with_variance BIGINT,
  learning_signal DOUBLE,
  signal_low DOUBLE,
  signal_high DOUBLE,
  signal_before DOUBLE,
  change DOUBLE,
  collapsed BOOLEAN,
  entropy DOUBLE,
  entropy_change DOUBLE,
  kl DOUBLE,
  sampled_share DOUBLE,
  agent_steps BIGINT,
  agent_steps_so_far BIGINT,
  recorded_by VARCHAR,
  training UUID,
  run_id VARCHAR
);

CREATE VIEW learning_signal AS
SELECT n.run, s.* EXCLUDE (owner) REPLACE (r.run AS recorded_by)
FROM log.learning_signal AS s
JOIN log.run_names AS n ON n.run_id = s.run_id
JOIN log.run_names AS r ON r.run_id = s.recorded_by;
