-- Facts: the figures of summaries, each of which an engineer may cite by its evidence id.

-- filled from decisions, shown with run: the run
CREATE TABLE log.facts (
  owner VARCHAR,
  stage BIGINT,            -- the stage being configured
  evidence_through BIGINT, -- the stage its evidence comes from
  "module" VARCHAR,        -- the context module that shows it
  evidence_id VARCHAR,     -- the evidence id it is cited by: F8.hole; context_evidence has the contexts that show it
  family VARCHAR,          -- the task family; null: all families
  measure VARCHAR,         -- what the figure measures: valid, holes, failures
  about VARCHAR,           -- the failure class, agent or knob it is about
  value DOUBLE,            -- the figure; null where there is none
  value_reason VARCHAR,    -- why there is no value
  count BIGINT,            -- number of rollouts that had it, where it was counted
  out_of BIGINT,           -- number of rollouts counted
  low DOUBLE,              -- the lower end of its interval
  high DOUBLE,             -- the upper end
  counts BOOLEAN,          -- whether its summary is the last of the stage for that module; null in an ablation
  ablation VARCHAR,        -- the ablation it was made in; null for one of a run
  summary UUID,            -- the summary: summaries.id
  run_id VARCHAR           -- the identity of the run
);
