-- Calls of models: prompts, answers and their cost.
--
--   run               the run it belongs to; null for none
--   stage             its stage
--   purpose           what it was asked for: proposal, repair, self-summary, plan
--   model             the model, as it was asked for
--   endpoint          the entry of the configuration file
--   checkpoint        the checkpoint that was served
--   reported          the model name that the endpoint reported
--   sample            the sample number among answers to the same question, from 0
--   finish_reason     why it stopped: stop, length, refusal
--   input_tokens      tokens of the prompt
--   output_tokens     tokens of its answer, reasoning included
--   reasoning_tokens  tokens of hidden reasoning
--   cached_tokens     tokens of the prompt that were cached
--   usage             all that the endpoint counted, by kind
--   cost              what it cost
--   currency          the currency of the cost
--   seconds           how long it took, where that was measured
--   prompt            the prompt, where the event holds it; a text kept as a blob is in no table
--   answer            its answer
--   reasoning         its reasoning
--   parameters        temperature, limits, answer format, as JSON
--   measured          latencies and the like, as JSON
--   context_digest    the digest of the prompt
--   key               the key of context, model, parameters and sample: equal keys are the same question
--   happened_at       when it answered (UTC)
--   id                the event
--   run_id            the identity of the run

CREATE TABLE log.model_calls (
  id UUID,
  stream VARCHAR,
  revision BIGINT,
  version USMALLINT,
  happened_at TIMESTAMP,
  recorded_at TIMESTAMP,
  actor VARCHAR,
  run_id VARCHAR,
  stage BIGINT,
  causes JSON,
  digest VARCHAR,
  key VARCHAR,
  model VARCHAR,
  endpoint VARCHAR,
  checkpoint VARCHAR,
  reported VARCHAR,
  parameters JSON,
  context_digest VARCHAR,
  sample BIGINT,
  purpose VARCHAR,
  prompt VARCHAR,
  answer VARCHAR,
  reasoning VARCHAR,
  finish_reason VARCHAR,
  usage MAP(VARCHAR, DOUBLE),
  cost DOUBLE,
  currency VARCHAR,
  measured JSON
);

-- fill from ModelAnswered
INSERT INTO log.model_calls
SELECT
  id, stream, revision, version, happened_at, recorded_at, actor, run_id, stage, causes, digest, data.key,
  data.model.name, data.model.endpoint, data.model.checkpoint, data.model.reported, data.parameters, data.context,
  data.sample, data.purpose, data.prompt ->> '$.text', data.answer ->> '$.text', data.reasoning ->> '$.text',
  data.finishReason, from_json(data.usage, '"MAP(VARCHAR, DOUBLE)"'), data.cost.total, data.cost.currency, data.measured
FROM batch;

CREATE VIEW model_calls AS
SELECT
  n.run, c.stage, c.purpose, c.model, c.endpoint, c.checkpoint, c.reported, c.sample, c.finish_reason,
  try_cast(c.usage['input'] AS BIGINT) AS input_tokens, try_cast(c.usage['output'] AS BIGINT) AS output_tokens,
  try_cast(c.usage['reasoning'] AS BIGINT) AS reasoning_tokens, try_cast(c.usage['cached'] AS BIGINT) AS cached_tokens,
  c.usage, c.cost, c.currency,
  coalesce(
    try_cast(c.measured ->> '$.latencyMs' AS DOUBLE) / 1000, try_cast(c.measured ->> '$.seconds' AS DOUBLE)
  ) AS seconds,
  c.prompt, c.answer, c.reasoning, c.parameters, c.measured, c.context_digest, c.key, c.happened_at, c.id, c.run_id
FROM log.model_calls AS c
LEFT JOIN log.run_names AS n ON n.run_id = c.run_id;
