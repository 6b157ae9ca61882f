-- Evidence of contexts: the evidence ids a context offers for citation, and the events each of them refers to.

-- filled from decisions, shown with run: the run
CREATE TABLE log.context_evidence (
  owner VARCHAR,
  stage BIGINT,            -- the stage being configured
  evidence_through BIGINT, -- the last stage with evidence in the context
  evidence_id VARCHAR,     -- the evidence id: F8.hole
  "module" VARCHAR,        -- the context module that shows it
  family VARCHAR,          -- the task family; null: all families
  events UUID[],           -- the summary, rollouts and failures it refers to, by id
  ablation VARCHAR,        -- the ablation the context was made in; null for one of a run
  context UUID,            -- the context: contexts.id
  run_id VARCHAR           -- the identity of the run
);
