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

-- filled from decisions
CREATE TABLE log.exemplars (
  owner VARCHAR,
  stage BIGINT,
  evidence_through BIGINT,
  "module" VARCHAR,
  evidence_id VARCHAR,
  family VARCHAR,
  failure_class VARCHAR,
  description VARCHAR,
  drawing VARCHAR,
  rollout UUID,
  failure UUID,
  counts BOOLEAN,
  ablation VARCHAR,
  summary UUID,
  run_id VARCHAR
);

CREATE VIEW exemplars AS
SELECT n.run, e.* EXCLUDE (owner)
FROM log.exemplars AS e
LEFT JOIN log.run_names AS n ON n.run_id = e.run_id;
