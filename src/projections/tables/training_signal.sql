-- The learning signal of a training and the tasks it sampled, by family. Only of trainings that count.

-- filled from decisions, shown with run: the run; of an arm, the run whose history it replays
CREATE TABLE log.training_signal (
  owner VARCHAR,
  stage BIGINT,           -- its stage
  family VARCHAR,         -- the task family; null: all families
  sample_groups BIGINT,   -- number of sample groups
  with_variance BIGINT,   -- number of them whose rewards differed
  share DOUBLE,           -- the second divided by the first: the learning signal
  share_reason VARCHAR,   -- why there is no share
  entropy DOUBLE,         -- the entropy of the policy
  entropy_reason VARCHAR, -- why the entropy is not known
  kl DOUBLE,              -- the KL divergence from the start of training
  kl_reason VARCHAR,      -- why the KL divergence is not known
  tasks BIGINT,           -- number of tasks that were sampled
  sampled_share DOUBLE,   -- their share of all sampled tasks, which may differ from the share that was configured
  ablation VARCHAR,       -- the ablation; null for events of a run
  arm VARCHAR,            -- its arm
  unit VARCHAR,           -- the unit of analysis
  training UUID,          -- the training: training.id
  run_id VARCHAR          -- the identity of the run
);
