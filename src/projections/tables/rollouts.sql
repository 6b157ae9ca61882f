-- Rollouts: attempts of a policy at a task. Only those that count: in a sealed stage, those its seal covers; in an
-- unsealed one, those reported to follow each other, or the newest of each part.

-- fill from RolloutRecorded
CREATE TABLE log.rollouts (
  attempt UBIGINT NOT NULL AS (md5_number_lower(stream)),
  revision UINTEGER NOT NULL,                  -- its revision in the stream
  id UUID,                                     -- the event: icecore event show ID shows it whole
  version USMALLINT,
  happened_at TIMESTAMP,                       -- when it was made (UTC)
  recorded_at TIMESTAMP,
  actor VARCHAR,
  digest VARCHAR,
  causes JSON AS (CASE WHEN causes <> '[]' THEN causes END),
  environment VARCHAR AS (data.environment),   -- the environment
  task VARCHAR AS (data.task.id),              -- the id of the task
  task_digest VARCHAR AS (data.task.digest),   -- equal digests are the same task
  task_seed VARCHAR AS (data.task.seed ->> '$'), -- the seed the task was generated with
  facts MAP(VARCHAR, DOUBLE) AS (from_json(data.task.facts, '"MAP(VARCHAR, DOUBLE)"')), -- facts of the generator about
                                               -- the task by name: facts['holes']; true is 1, false is 0
  split VARCHAR AS (data.split),               -- train: tasks of training, tried in training itself or afterwards as
                                               -- evidence (see part); probe: the probe tasks, whose evidence engineers
                                               -- see; probe-holdout: the hidden half of the probes; validation: what
                                               -- stages and arms are compared by; test: the benchmarks
  family VARCHAR AS (data.family),             -- the task family: on the lake, its size
  sample BIGINT AS (data.sample),              -- the sample number at the same task, from 0
  training_step BIGINT AS (data.trainingStep), -- the update of the trainer it was sampled at
  policy VARCHAR AS (data.policy),             -- the policy
  checkpoint VARCHAR AS (data.checkpoint),     -- its checkpoint
  outcome VARCHAR AS (data.outcome),           -- the outcome, as the environment names it
  success BOOLEAN AS (data.success),           -- whether it counts as solved
  failure_class VARCHAR AS (coalesce(data.failureClass, data.failures[1].class)), -- the first failure class; table
                                               -- failures has all of them
  failures STRUCT(class VARCHAR, step BIGINT, message VARCHAR, details JSON)[] AS (data.failures),
  stop_reason VARCHAR AS (data.stopReason),    -- why the policy stopped
  truncated BOOLEAN AS (data.truncated),       -- whether the answer was truncated
  error_kind VARCHAR AS (data.error.kind),     -- the kind of infrastructure error that ended it, if any
  error_message VARCHAR AS (data.error.message), -- the message of that error
  reward DOUBLE AS (try_cast(data.reward AS DOUBLE)), -- its reward; null where there is none
  reward_reason VARCHAR AS (data.reward ->> '$.reason'), -- why there is no reward
  rewards MAP(VARCHAR, DOUBLE) AS (from_json(data.rewards, '"MAP(VARCHAR, DOUBLE)"')), -- the components of the reward
                                               -- by name: rewards['valid']
  metrics MAP(VARCHAR, DOUBLE) AS (from_json(data.metrics, '"MAP(VARCHAR, DOUBLE)"')), -- other measurements by name:
                                               -- metrics['cost']
  agent_steps BIGINT AS (data.agentSteps),     -- number of agent steps
  input_tokens BIGINT AS (data.tokens.input),  -- tokens of its prompt
  output_tokens BIGINT AS (data.tokens.output), -- tokens of its answer, reasoning included
  reasoning_tokens BIGINT AS (data.tokens.reasoning), -- tokens of hidden reasoning
  cached_tokens BIGINT AS (data.tokens.cached), -- tokens of the prompt that were cached
  cost DOUBLE AS (data.cost.total),            -- what it cost
  currency VARCHAR AS (data.cost.currency),    -- the currency of the cost
  prompt VARCHAR AS (data.prompt ->> '$.text'), -- the prompt of a language model, where the event holds it; a text kept
                                               -- as a blob is in no table
  completion VARCHAR AS (data.completion ->> '$.text'), -- its answer
  reasoning VARCHAR AS (data.reasoning ->> '$.text'), -- its reasoning
  answer JSON AS (data.answer),                -- the answer that was judged, as JSON
  expected JSON AS (data.expected),            -- the expected answer, as JSON
  details JSON AS (data.details.content),      -- details that only this environment understands, as JSON
  measured JSON AS (data.measured),            -- durations and the like, as JSON
  seed VARCHAR AS (data.seed ->> '$')          -- the seed of the rollout
);

-- Sums over the rollouts of an attempt, one set for each batch of a fill. Statistics of stages add these up instead of rollouts.
-- add up rollouts
CREATE TABLE log.tallies (
  attempt UBIGINT NOT NULL,
  split VARCHAR,
  family VARCHAR,
  failure_class VARCHAR,
  rollouts BIGINT NOT NULL AS (count(*)),
  tasks BIGINT NOT NULL AS (count(*) FILTER (coalesce(sample, 0) = 0)),
  errored BIGINT NOT NULL AS (count(error_kind)),
  judged BIGINT NOT NULL AS (count(success) FILTER (error_kind IS NULL)),
  solved BIGINT NOT NULL AS (count(*) FILTER (success AND error_kind IS NULL)),
  truncated BIGINT NOT NULL AS (count(*) FILTER (truncated)),
  ends_known BIGINT NOT NULL AS (count(truncated)),
  reward DOUBLE NOT NULL AS (coalesce(sum(reward), 0)),
  rewarded BIGINT NOT NULL AS (count(reward)),
  agent_steps DOUBLE NOT NULL AS (coalesce(sum(agent_steps::DOUBLE), 0)),
  stepped BIGINT NOT NULL AS (count(agent_steps))
);

CREATE VIEW rollouts AS
SELECT
  a.run,    -- the name of the run; of arms of an ablation, the ablation, with its identity where its name is not unique
  a.stage,  -- its stage
  r.split,
  a.part,   -- what it was recorded of: the number of a shard (the probe tasks and a sample of training, whose evidence
            -- engineers see), training, or what was evaluated: validation, probe_holdout, the suite
  r.family, r.task, r.sample, r.training_step, r.policy, r.checkpoint, r.outcome, r.success, r.failure_class,
  r.stop_reason, r.truncated, r.reward, r.reward_reason, r.rewards, r.metrics, r.facts, r.agent_steps, r.input_tokens,
  r.output_tokens, r.reasoning_tokens, r.cached_tokens, r.cost, r.currency, r.prompt, r.completion, r.reasoning,
  r.answer, r.expected, r.details, r.measured, r.error_kind, r.error_message, r.environment, r.task_digest, r.task_seed,
  r.seed, r.happened_at, r.id,
  a.run_id, -- the identity of the run
  a.stream, -- the stream of its attempt
  r.revision,
  a.sealed  -- whether a seal covers it
FROM log.rollouts AS r
JOIN log.counting AS a ON a.attempt = r.attempt AND r.revision < a.upto;
