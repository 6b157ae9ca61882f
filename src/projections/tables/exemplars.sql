-- Exemplars: example rollouts that summaries show.
--
--   run               the run
--   stage             the stage being configured
--   evidence_through  the stage its evidence comes from
--   module            the context module that shows it
--   evidence_id       the evidence id it is cited by: F1
--   family            the task family
--   failure_class     the failure class
--   description       what it shows, in words
--   drawing           the drawing an engineer sees
--   rollout           the rollout: rollouts.id
--   failure           its failure: failures.id
--   counts            whether its summary is the last of the stage for that module; null in an ablation
--   ablation          the ablation it was made in; null for one of a run
--   summary           the summary: summaries.id
--   run_id            the identity of the run

CREATE TABLE log.exemplars (
  id UUID,
  evidence_id VARCHAR,
  family VARCHAR,
  failure_class VARCHAR,
  description VARCHAR,
  drawing VARCHAR,
  rollout UUID,
  failure UUID
);

-- fill from SummaryRecorded
INSERT INTO log.exemplars
SELECT
  id, shown.evidenceId, shown.family, shown.class, shown.description, shown.drawing, try_cast(shown.rollout AS UUID),
  try_cast(shown.failure AS UUID)
FROM (SELECT id, unnest(data.exemplars) AS shown FROM batch);

CREATE VIEW exemplars AS
SELECT
  n.run, s.stage, s.stage - 1 AS evidence_through, s.module, e.evidence_id, e.family, e.failure_class, e.description, e.drawing, e.rollout, e.failure, s.counts,
  s.ablation, e.id AS summary, s.run_id
FROM log.exemplars AS e
JOIN log.all_summaries AS s ON s.id = e.id
LEFT JOIN log.run_names AS n ON n.run_id = s.run_id;
