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

CREATE TABLE log.training_signal (
  id UUID,
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
  sampled_share DOUBLE
);

-- fill from TrainingRecorded, ArmTrained
INSERT INTO log.training_signal
SELECT
  id, family, any_value(signal.sampleGroups) AS sample_groups, any_value(signal.withVariance) AS with_variance,
  any_value(try_cast(signal.share AS DOUBLE)) AS share, any_value(signal.share ->> '$.reason') AS share_reason,
  any_value(try_cast(signal.entropy AS DOUBLE)) AS entropy, any_value(signal.entropy ->> '$.reason') AS entropy_reason,
  any_value(try_cast(signal.kl AS DOUBLE)) AS kl, any_value(signal.kl ->> '$.reason') AS kl_reason,
  any_value(sampled.tasks) AS tasks, any_value(sampled.share) AS sampled_share
FROM (
  SELECT id, signal.family AS family, signal FROM (SELECT id, unnest(data.learningSignal) AS signal FROM batch)
  UNION ALL BY NAME
  SELECT id, sampled.family AS family, sampled FROM (SELECT id, unnest(data.sampled) AS sampled FROM batch)
)
GROUP BY id, family;

CREATE VIEW training_signal AS
SELECT
  t.run, t.stage, s.family, s.sample_groups, s.with_variance, s.share, s.share_reason, s.entropy, s.entropy_reason, s.kl,
  s.kl_reason, s.tasks, s.sampled_share, t.ablation, t.arm, t.unit, t.id AS training, t.run_id
FROM log.training_signal AS s
JOIN log.trainings AS t ON t.id = s.id
WHERE t.counts;
