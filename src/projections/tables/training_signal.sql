-- The learning signal of a training and the tasks it sampled, by family. Only of trainings that count.
--
--   run             the run; of an arm, the run whose history it replays
--   stage           its stage
--   family          the task family; null: all families
--   sample_groups   number of sample groups
--   with_variance   number of them whose rewards differed
--   share           the second divided by the first: the learning signal
--   share_reason    why there is no share
--   entropy         the entropy of the policy
--   entropy_reason  why the entropy is not known
--   kl              the KL divergence from where training began
--   kl_reason       why the KL divergence is not known
--   tasks           number of tasks that were sampled
--   sampled_share   their share of all sampled tasks, which may differ from the share that was configured
--   ablation        the ablation; null for events of a run
--   arm             its arm
--   unit            the unit of analysis
--   training        the training: training.id
--   run_id          the identity of the run

-- filled from decisions
CREATE TABLE log.training_signal (
  owner VARCHAR,
  stage BIGINT,
  family VARCHAR,
  sample_groups BIGINT,
  with_variance BIGINT,
  share DOUBLE,
  share_reason VARCHAR,
  entropy DOUBLE,
  entropy_reason VARCHAR,
  kl DOUBLE,
  kl_reason VARCHAR,
  tasks BIGINT,
  sampled_share DOUBLE,
  ablation VARCHAR,
  arm VARCHAR,
  unit VARCHAR,
  training UUID,
  run_id VARCHAR
);

CREATE VIEW training_signal AS
SELECT n.run, s.* EXCLUDE (owner)
FROM log.training_signal AS s
LEFT JOIN log.run_names AS n ON n.run_id = s.run_id;
