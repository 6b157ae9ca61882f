-- Evidence of contexts: the evidence ids a context offers for citation, and the events each of them refers to.
--
--   run               the run
--   stage             the stage being configured
--   evidence_through  the last stage with evidence in the context
--   evidence_id       the evidence id: F8.hole
--   module            the context module that shows it
--   family            the task family; null: all families
--   events            the summary, rollouts and failures it refers to, by id
--   ablation          the ablation the context was made in; null for one of a run
--   context           the context: contexts.id
--   run_id            the identity of the run

-- filled from decisions
CREATE TABLE log.context_evidence (
  owner VARCHAR,
  stage BIGINT,
  evidence_through BIGINT,
  evidence_id VARCHAR,
  "module" VARCHAR,
  family VARCHAR,
  events UUID[],
  ablation VARCHAR,
  context UUID,
  run_id VARCHAR
);

CREATE VIEW context_evidence AS
SELECT n.run, e.* EXCLUDE (owner)
FROM log.context_evidence AS e
LEFT JOIN log.run_names AS n ON n.run_id = e.run_id;
