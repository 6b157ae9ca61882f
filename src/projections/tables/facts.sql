-- Facts: the figures of summaries, each of which an engineer may cite by its evidence id.
--
--   run               the run
--   stage             the stage being configured
--   evidence_through  the stage its evidence comes from
--   module            the context module that shows it
--   evidence_id       the evidence id it is cited by: F8.hole; context_evidence has the contexts that show it
--   family            the task family; null: all families
--   measure           what the figure measures: valid, holes, failures
--   about             the failure class, agent or knob it is about
--   value             the figure; null where there is none
--   value_reason      why there is no value
--   count             number of rollouts that had it, where it was counted
--   out_of            number of rollouts counted
--   low               the lower end of its interval
--   high              the upper end
--   counts            whether its summary is the last of the stage for that module; null in an ablation
--   ablation          the ablation it was made in; null for one of a run
--   summary           the summary: summaries.id
--   run_id            the identity of the run

-- filled from decisions
CREATE TABLE log.facts (
  owner VARCHAR,
  stage BIGINT,
  evidence_through BIGINT,
  "module" VARCHAR,
  evidence_id VARCHAR,
  family VARCHAR,
  measure VARCHAR,
  about VARCHAR,
  value DOUBLE,
  value_reason VARCHAR,
  count BIGINT,
  out_of BIGINT,
  low DOUBLE,
  high DOUBLE,
  counts BOOLEAN,
  ablation VARCHAR,
  summary UUID,
  run_id VARCHAR
);

CREATE VIEW facts AS
SELECT n.run, f.* EXCLUDE (owner)
FROM log.facts AS f
LEFT JOIN log.run_names AS n ON n.run_id = f.run_id;
