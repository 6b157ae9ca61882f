-- Exemplars: example rollouts that summaries show.

-- filled from decisions, shown with run: the run
CREATE TABLE log.exemplars (
  owner VARCHAR,
  stage BIGINT,            -- the stage being configured
  evidence_through BIGINT, -- the stage its evidence comes from
  "module" VARCHAR,        -- the context module that shows it
  evidence_id VARCHAR,     -- the evidence id it is cited by: F1
  family VARCHAR,          -- the task family
  failure_class VARCHAR,   -- the failure class
  description VARCHAR,     -- what it shows, in words
  drawing VARCHAR,         -- the drawing an engineer sees
  rollout UUID,            -- the rollout: rollouts.id
  failure UUID,            -- its failure: failures.id
  counts BOOLEAN,          -- whether its summary is the last of the stage for that module; null in an ablation
  ablation VARCHAR,        -- the ablation it was made in; null for one of a run
  summary UUID,            -- the summary: summaries.id
  run_id VARCHAR           -- the identity of the run
);
