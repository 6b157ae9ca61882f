-- Learning signal: how much there was to learn in each stage of a run's history, and how that went on. Where all samples
-- of a task get the same reward, nothing is learnt from it.
--
--   run               the run; a fork has the stages it shares, too
--   stage             a stage of its history
--   group_name        the set of knobs; null: all of them
--   groups            how many groups of samples were compared
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
    h.run_id, h.stage, h.recorder, h.upto, t.id, try_cast(t.spent['decisions'] AS BIGINT) AS decisions,
    try_cast(sum(t.spent['decisions']) OVER (PARTITION BY h.run_id ORDER BY h.stage) AS BIGINT) AS decisions_so_far
  FROM (
    SELECT h.*, arg_max(t.id, t.revision) AS training
    FROM log.history AS h
    JOIN log.trainings AS t ON t.run_id = h.recorder AND t.stage = h.stage AND t.revision <= h.upto
    WHERE t.ablation IS NULL
    GROUP BY ALL
  ) AS h
  JOIN log.training AS t ON t.id = h.training
),
-- Over all groups, where only groups were told.
told AS (
  SELECT id, group_name, groups, with_variance, share, entropy, kl, sampled_share FROM log.training_signal
  UNION ALL
  SELECT
    id, NULL, try_cast(sum(groups) AS BIGINT), try_cast(sum(with_variance) AS BIGINT),
    sum(with_variance) / nullif(sum(groups), 0), NULL, NULL, NULL
  FROM log.training_signal WHERE groups IS NOT NULL
  GROUP BY id HAVING count(*) = count(group_name)
),
collapses AS (
  SELECT DISTINCT h.run_id, h.stage, a.group_name
  FROM log.history AS h
  JOIN log.raised_alerts AS a ON a.stream = 'run-' || h.recorder AND a.stage = h.stage AND a.revision <= h.upto
  WHERE a.kind = 'signal-collapse' AND (a.type <> 'TrainingRecorded' OR a.id IN (SELECT id FROM trained))
),
followed AS (
  SELECT
    t.*, s.* EXCLUDE (id),
    lag({'stage': t.stage, 'share': s.share, 'entropy': s.entropy})
      OVER (PARTITION BY t.run_id, s.group_name ORDER BY t.stage) AS earlier
  FROM trained AS t JOIN told AS s ON s.id = t.id
)
SELECT
  n.run, f.stage, f.group_name, f.groups, f.with_variance, f.share AS signal,
  wilson_low(least(f.with_variance, f.groups), f.groups) AS signal_low,
  wilson_high(least(f.with_variance, f.groups), f.groups) AS signal_high,
  f.before.share AS signal_before, f.share - f.before.share AS change, c.run_id IS NOT NULL AS collapsed, f.entropy,
  f.entropy - f.before.entropy AS entropy_change, f.kl, f.sampled_share, f.decisions, f.decisions_so_far,
  r.run AS recorded_by, f.id AS training, f.run_id
FROM (SELECT *, CASE WHEN earlier.stage = stage - 1 THEN earlier END AS before FROM followed) AS f
JOIN log.run_names AS n ON n.run_id = f.run_id
JOIN log.run_names AS r ON r.run_id = f.recorder
LEFT JOIN collapses AS c
  ON c.run_id = f.run_id AND c.stage = f.stage AND c.group_name IS NOT DISTINCT FROM f.group_name;
