-- Summaries: the evidence of a stage, summarised for one context module. Their figures are in table facts, the rollouts
-- they show in exemplars.

-- filled from decisions, shown with run: the run
CREATE TABLE log.summaries (
  owner VARCHAR,
  stage BIGINT,            -- the stage being configured
  evidence_through BIGINT, -- the stage its evidence comes from
  "module" VARCHAR,        -- the context module: failures, stats, behaviour, training, self-summary
  counts BOOLEAN,          -- whether it is the last summary of its stage for that module; null in an ablation, where
                           -- each arm may have its own
  rollouts BIGINT,         -- number of rollouts it is made from
  splits VARCHAR[],        -- the splits of those rollouts
  facts BIGINT,            -- number of figures
  exemplars BIGINT,        -- number of rollouts it shows
  text VARCHAR,            -- the text an engineer reads, where the event holds it
  answer VARCHAR,          -- for a self-summary, the call of the model: model_calls.key
  version VARCHAR,         -- the version of the code that made it
  parameters JSON,         -- its settings, as JSON
  ablation VARCHAR,        -- the ablation it was made in; null for one of a run
  happened_at TIMESTAMP,   -- when it was made (UTC)
  id UUID,                 -- the event
  run_id VARCHAR           -- the identity of the run
);
