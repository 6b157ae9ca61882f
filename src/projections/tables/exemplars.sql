-- Exemplars: rollouts that stand for many, as summaries show them.
--
--   run            the run
--   stage          its stage
--   module         the context module it stands in
--   label          what it is cited by: F1
--   family     the set of knobs its task belongs to
--   failure_class  the way it failed
--   says           what it shows, in words
--   drawing        as an engineer sees it
--   rollout        the rollout: rollouts.id
--   failure        its failure: failures.id
--   counts         whether its summary is the last of the stage for that module; null in an ablation
--   ablation       the ablation it was made in; null where it is of a run
--   summary        the summary: summaries.id
--   run_id         the identity of the run

CREATE TABLE log.exemplars (
  id UUID,
  label VARCHAR,
  family VARCHAR,
  failure_class VARCHAR,
  says VARCHAR,
  drawing VARCHAR,
  rollout UUID,
  failure UUID
);

-- fill from SummaryRecorded
INSERT INTO log.exemplars
SELECT
  id, shown.label, shown.family, shown.class, shown.says, shown.drawing, try_cast(shown.rollout AS UUID),
  try_cast(shown.failure AS UUID)
FROM (SELECT id, unnest(data.exemplars) AS shown FROM batch);

CREATE VIEW exemplars AS
SELECT
  n.run, s.stage, s.module, e.label, e.family, e.failure_class, e.says, e.drawing, e.rollout, e.failure, s.counts,
  s.ablation, e.id AS summary, s.run_id
FROM log.exemplars AS e
JOIN log.all_summaries AS s ON s.id = e.id
LEFT JOIN log.run_names AS n ON n.run_id = s.run_id;
