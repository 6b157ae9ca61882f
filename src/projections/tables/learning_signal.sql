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

CREATE VIEW learning_signal AS
WITH
trained AS (
  SELECT
    c.run, c.run_id, c.stage, c.recorder, c.upto, t.id, try_cast(t.spent['agent-steps'] AS BIGINT) AS agent_steps,
    try_cast(sum(t.spent['agent-steps']) OVER (PARTITION BY c.run, c.run_id ORDER BY c.stage) AS BIGINT) AS agent_steps_so_far
  FROM log.course AS c JOIN log.training AS t ON t.id = c.training
),
collapses AS (
  SELECT DISTINCT t.run, t.run_id, t.stage, a.family
  FROM trained AS t
  JOIN log.raised_alerts AS a ON a.stream = 'run-' || t.recorder AND a.stage = t.stage AND a.revision <= t.upto
  WHERE a.kind = 'signal-collapse' AND (a.type <> 'TrainingRecorded' OR a.id = t.id)
),
followed AS (
  SELECT
    t.*, s.* EXCLUDE (id),
    lag({'stage': t.stage, 'share': s.share, 'entropy': s.entropy})
      OVER (PARTITION BY t.run, t.run_id, s.family ORDER BY t.stage) AS earlier
  FROM trained AS t JOIN log.training_signal AS s ON s.id = t.id
)
SELECT
  f.run, f.stage, f.family, f.sample_groups, f.with_variance, f.share AS learning_signal,
  wilson_low(least(f.with_variance, f.sample_groups), f.sample_groups) AS signal_low,
  wilson_high(least(f.with_variance, f.sample_groups), f.sample_groups) AS signal_high,
  f.before.share AS signal_before, f.share - f.before.share AS change, c.run_id IS NOT NULL AS collapsed, f.entropy,
  f.entropy - f.before.entropy AS entropy_change, f.kl, f.sampled_share, f.agent_steps, f.agent_steps_so_far,
  r.run AS recorded_by, f.id AS training, f.run_id
FROM (SELECT *, CASE WHEN earlier.stage = stage - 1 THEN earlier END AS before FROM followed) AS f
JOIN log.run_names AS r ON r.run_id = f.recorder
LEFT JOIN collapses AS c
  ON c.run = f.run AND c.run_id = f.run_id AND c.stage = f.stage AND c.family IS NOT DISTINCT FROM f.family;
