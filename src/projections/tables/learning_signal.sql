-- Learning signal: how much there was to learn in each stage of a run's history, and how that went on. Where all samples
-- of a task get the same reward, nothing is learnt from it.
--
--   run               the run; a fork has the stages it shares, too
--   stage             a stage of its history
--   family        the set of knobs; null: all of them
--   families            how many sample of samples were compared
--   with_variance     in how many of them rewards differed
--   signal            the second by the first
--   signal_low        the lower end of its 95 % interval
--   signal_high       the upper end
--   signal_before     the signal in the stage before
--   change            by how much it rose since
--   collapsed         whether an alert says that it collapsed
--   entropy           how unsure the policy was
--   entropy_change    by how much that rose since the stage before
--   kl                how far the policy went from where it began
--   sampled_share     the share of the tasks that were drawn
--   decisions         decisions that training took in the stage
--   decisions_so_far  those of all stages up to it
--   recorded_by       the run that recorded the stage
--   training          the training: training.id
--   run_id            the identity of the run

CREATE VIEW learning_signal AS
WITH
trained AS (
  SELECT
    c.run, c.run_id, c.stage, c.recorder, c.upto, t.id, try_cast(t.spent['agentSteps'] AS BIGINT) AS decisions,
    try_cast(sum(t.spent['agentSteps']) OVER (PARTITION BY c.run, c.run_id ORDER BY c.stage) AS BIGINT) AS decisions_so_far
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
  f.run, f.stage, f.family, f.families, f.with_variance, f.share AS signal,
  wilson_low(least(f.with_variance, f.families), f.families) AS signal_low,
  wilson_high(least(f.with_variance, f.families), f.families) AS signal_high,
  f.before.share AS signal_before, f.share - f.before.share AS change, c.run_id IS NOT NULL AS collapsed, f.entropy,
  f.entropy - f.before.entropy AS entropy_change, f.kl, f.sampled_share, f.decisions, f.decisions_so_far,
  r.run AS recorded_by, f.id AS training, f.run_id
FROM (SELECT *, CASE WHEN earlier.stage = stage - 1 THEN earlier END AS before FROM followed) AS f
JOIN log.run_names AS r ON r.run_id = f.recorder
LEFT JOIN collapses AS c
  ON c.run = f.run AND c.run_id = f.run_id AND c.stage = f.stage AND c.family IS NOT DISTINCT FROM f.family;
