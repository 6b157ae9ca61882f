-- Rollouts: attempts of a policy at a task. Only those that count: in a sealed stage, those its seal vouches for; in an
-- unsealed one, those reported to follow each other, or the newest of each part.
--
--   run               the name of the run; of arms of an ablation, the ablation
--   stage             its stage
--   split             train: training; probe: the probe tasks, whose evidence engineers see; probe-holdout: the hidden
--                     half of the probes; validation, test: benchmarks
--   part              what it was recorded of: the number of a shard (the probe tasks and a sample of training, whose
--                     evidence engineers see), training, or what was evaluated: validation, probe_holdout, the suite
--   family            the task family: on the lake, its size
--   task              the id of the task
--   sample            the sample number at the same task, from 0
--   training_step     the update of the trainer it was sampled at
--   policy            the policy
--   checkpoint        its checkpoint
--   outcome           the outcome, in the words of the environment
--   success           whether it counts as solved
--   failure_class     the first failure class; table failures has all of them
--   stop_reason       why the policy stopped
--   truncated         whether the answer was truncated
--   reward            its reward; null where there is none
--   reward_reason     why there is no reward
--   rewards           the components of the reward by name: rewards['valid']
--   metrics           other measurements by name: metrics['cost']
--   facts             facts of the generator about the task by name: facts['holes']; true is 1, false is 0
--   agent_steps       number of agent steps
--   input_tokens      tokens of its prompt
--   output_tokens     tokens of its answer, reasoning included
--   reasoning_tokens  tokens of hidden reasoning
--   cached_tokens     tokens of the prompt that were cached
--   cost              what it cost
--   currency          the currency of the cost
--   prompt            the prompt of a language model, where the event holds it; a text kept as a blob is in no table
--   completion        its answer
--   reasoning         its reasoning
--   answer            the answer that was judged, as JSON
--   expected          the expected answer, as JSON
--   details           details that only this environment understands, as JSON
--   measured          durations and the like, as JSON
--   error_kind        the kind of infrastructure error that ended it, if any
--   error_message     the message of that error
--   environment       the environment
--   task_digest       equal digests are the same task
--   task_seed         the seed the task was generated with
--   seed              the seed of the rollout
--   happened_at       when it was played (UTC)
--   id                the event: icecore event show ID shows it whole
--   run_id            the identity of the run
--   stream            the stream of its attempt
--   revision          its revision in the stream
--   sealed            whether a seal vouches for it

CREATE TABLE log.rollouts (
  attempt UBIGINT NOT NULL,
  revision UINTEGER NOT NULL,
  id UUID,
  version USMALLINT,
  happened_at TIMESTAMP,
  recorded_at TIMESTAMP,
  actor VARCHAR,
  digest VARCHAR,
  causes JSON,
  environment VARCHAR,
  task VARCHAR,
  task_digest VARCHAR,
  task_seed VARCHAR,
  facts MAP(VARCHAR, DOUBLE),
  split VARCHAR,
  family VARCHAR,
  sample BIGINT,
  training_step BIGINT,
  policy VARCHAR,
  checkpoint VARCHAR,
  outcome VARCHAR,
  success BOOLEAN,
  failure_class VARCHAR,
  failures STRUCT(class VARCHAR, step BIGINT, message VARCHAR, details JSON)[],
  stop_reason VARCHAR,
  truncated BOOLEAN,
  error_kind VARCHAR,
  error_message VARCHAR,
  reward DOUBLE,
  reward_reason VARCHAR,
  rewards MAP(VARCHAR, DOUBLE),
  metrics MAP(VARCHAR, DOUBLE),
  agent_steps BIGINT,
  input_tokens BIGINT,
  output_tokens BIGINT,
  reasoning_tokens BIGINT,
  cached_tokens BIGINT,
  cost DOUBLE,
  currency VARCHAR,
  prompt VARCHAR,
  completion VARCHAR,
  reasoning VARCHAR,
  answer JSON,
  expected JSON,
  details JSON,
  measured JSON,
  seed VARCHAR
);

-- fill from RolloutRecorded
INSERT INTO log.rollouts
SELECT
  md5_number_lower(stream), revision, id, version, happened_at, recorded_at, actor, digest,
  CASE WHEN causes <> '[]' THEN causes END,
  data.environment, data.task.id, data.task.digest, data.task.seed ->> '$',
  from_json(data.task.facts, '"MAP(VARCHAR, DOUBLE)"'),
  data.split, data.family, data.sample, data.trainingStep, data.policy, data.checkpoint,
  data.outcome, data.success, data.failureClass, data.failures, data.stopReason, data.truncated, data.error.kind, data.error.message,
  try_cast(data.reward AS DOUBLE), data.reward ->> '$.reason',
  from_json(data.rewards, '"MAP(VARCHAR, DOUBLE)"'), from_json(data.metrics, '"MAP(VARCHAR, DOUBLE)"'),
  data.agentSteps, data.tokens.input, data.tokens.output, data.tokens.reasoning, data.tokens.cached,
  data.cost.total, data.cost.currency,
  data.prompt ->> '$.text', data.completion ->> '$.text', data.reasoning ->> '$.text',
  data.answer, data.expected, data.details.content, data.measured, data.seed ->> '$'
FROM batch;

-- Sums over the rollouts of an attempt, one set for each batch of a fill. Statistics of stages add these up instead of rollouts.
CREATE TABLE log.tallies (
  attempt UBIGINT NOT NULL,
  split VARCHAR,
  family VARCHAR,
  failure_class VARCHAR,
  rollouts BIGINT NOT NULL,
  tasks BIGINT NOT NULL,
  errored BIGINT NOT NULL,
  judged BIGINT NOT NULL,
  solved BIGINT NOT NULL,
  truncated BIGINT NOT NULL,
  reward DOUBLE NOT NULL,
  rewarded BIGINT NOT NULL,
  agent_steps DOUBLE NOT NULL,
  stepped BIGINT NOT NULL
);

-- add up rollouts
INSERT INTO log.tallies
SELECT
  attempt, split, family, failure_class, count(*) AS rollouts,
  count(*) FILTER (coalesce(sample, 0) = 0) AS tasks, count(error_kind) AS errored,
  count(success) FILTER (error_kind IS NULL) AS judged,
  count(*) FILTER (success AND error_kind IS NULL) AS solved, count(*) FILTER (truncated) AS truncated,
  coalesce(sum(reward), 0) AS reward, count(reward) AS rewarded,
  coalesce(sum(agent_steps::DOUBLE), 0) AS agent_steps, count(agent_steps) AS stepped
FROM added GROUP BY ALL;

CREATE VIEW rollouts AS
SELECT
  a.run, a.stage, r.split, a.part, r.family, r.task, r.sample, r.training_step, r.policy, r.checkpoint, r.outcome, r.success,
  r.failure_class, r.stop_reason, r.truncated, r.reward, r.reward_reason, r.rewards, r.metrics, r.facts, r.agent_steps,
  r.input_tokens, r.output_tokens, r.reasoning_tokens, r.cached_tokens, r.cost, r.currency,
  r.prompt, r.completion, r.reasoning, r.answer, r.expected, r.details, r.measured, r.error_kind, r.error_message,
  r.environment, r.task_digest, r.task_seed, r.seed, r.happened_at, r.id, a.run_id, a.stream, r.revision, a.sealed
FROM log.rollouts AS r
JOIN log.counting AS a ON a.attempt = r.attempt AND r.revision < a.upto;
