-- Calls of models: prompts, answers and their cost. All who ask the same question share the call, so those that icecore
-- made have no run and no stage: proposals.calls has their keys.

-- fill from ModelAnswered
CREATE TABLE log.model_calls (
  id UUID,                                   -- the event
  stream VARCHAR,
  revision BIGINT,
  version USMALLINT,
  happened_at TIMESTAMP,                     -- when it answered (UTC)
  recorded_at TIMESTAMP,
  actor VARCHAR,
  run_id VARCHAR,                            -- the identity of the run
  stage BIGINT,                              -- its stage, where its recorder named one
  causes JSON,
  digest VARCHAR,
  key VARCHAR AS (data.key),                 -- the key of context, model, parameters and sample: equal keys are the
                                             -- same question
  model VARCHAR AS (data.model.name),        -- the model, as it was asked for
  endpoint VARCHAR AS (data.model.endpoint), -- the entry of the configuration file
  checkpoint VARCHAR AS (data.model.checkpoint), -- the checkpoint that was served
  reported VARCHAR AS (data.model.reported), -- the model name that the endpoint reported
  parameters JSON AS (data.parameters),      -- temperature, limits, answer format, as JSON
  context_digest VARCHAR AS (data.context),  -- the digest of the prompt
  sample BIGINT AS (data.sample),            -- the sample number among answers to the same question, from 0
  purpose VARCHAR AS (data.purpose),         -- what it was asked for: proposal, repair, self-summary, plan
  prompt VARCHAR AS (data.prompt ->> '$.text'), -- the prompt, where the event holds it; a text kept as a blob is in no
                                             -- table
  answer VARCHAR AS (data.answer ->> '$.text'), -- its answer
  reasoning VARCHAR AS (data.reasoning ->> '$.text'), -- its reasoning
  finish_reason VARCHAR AS (data.finishReason), -- why it stopped: stop, length, refusal
  usage MAP(VARCHAR, DOUBLE) AS (from_json(data.usage, '"MAP(VARCHAR, DOUBLE)"')), -- all that the endpoint counted, by
                                             -- kind
  cost DOUBLE AS (data.cost.total),          -- what it cost
  currency VARCHAR AS (data.cost.currency),  -- the currency of the cost
  measured JSON AS (data.measured)           -- latencies and the like, as JSON
);

CREATE VIEW model_calls AS
SELECT
  n.run, -- the run that its recorder named; null for icecore's own calls
  c.stage, c.purpose, c.model, c.endpoint, c.checkpoint, c.reported, c.sample, c.finish_reason,
  try_cast(c.usage['input'] AS BIGINT) AS input_tokens, -- tokens of the prompt
  try_cast(c.usage['output'] AS BIGINT) AS output_tokens, -- tokens of its answer, reasoning included
  try_cast(c.usage['reasoning'] AS BIGINT) AS reasoning_tokens, -- tokens of hidden reasoning
  try_cast(c.usage['cached'] AS BIGINT) AS cached_tokens, -- tokens of the prompt that were cached
  c.usage, c.cost, c.currency,
  coalesce(
    try_cast(c.measured ->> '$.latencyMs' AS DOUBLE) / 1000, try_cast(c.measured ->> '$.seconds' AS DOUBLE)
  ) AS seconds, -- how long it took, where that was measured
  c.prompt, c.answer, c.reasoning, c.parameters, c.measured, c.context_digest, c.key, c.happened_at, c.id, c.run_id
FROM log.model_calls AS c
LEFT JOIN log.run_names AS n ON n.run_id = c.run_id;
