-- Rollouts: what became of one try of a policy at one task. Only those that count: of a stage that is sealed, what its seal
-- vouches for; of one that is not, the newest attempt of each part.
--
--   run             the run, by the name people use; of arms of an ablation, the ablation
--   stage           its stage
--   split           probe: tasks that engineers see evidence of; probe-holdout: the hidden part of them; train: tasks of
--                   the training; validation, test: benchmarks
--   part            what it was recorded of: the number of a shard (the probe pool and a sample of the training, which
--                   engineers see evidence of), training, or what was evaluated: validation, probe_holdout, the suite
--   family      the set of knobs the task belongs to: on the lake, its size
--   task            the task, by its id
--   sample          which try at the same task, from 0
--   step            the update of the trainer it was sampled at
--   policy          the policy that tried
--   checkpoint      its snapshot
--   outcome         what became of it, in the words of the environment
--   success         whether it counts as solved
--   failure_class   the way it failed; table failures has all ways
--   stop_reason     why the policy stopped
--   truncated       whether the answer was cut
--   reward          its reward; null where there is none
--   reward_reason   why there is none
--   rewards         the rewards it is made of, by name: rewards['valid']
--   metrics         what else was measured, by name: metrics['cost']
--   facts           what the generator tells of the task, by name: facts['holes']; true is 1, false is 0
--   decisions       how many decisions the policy took
--   input_tokens    tokens of its prompt
--   output_tokens   tokens of its answer, reasoning included
--   reasoning_tokens  those of hidden reasoning
--   cached_tokens   those of the prompt that were cached
--   cost            what it cost
--   currency        in which currency
--   prompt          what a language model was asked, where the event holds it; a text kept as a blob is in no table
--   completion      what it answered
--   reasoning       what it thought aloud
--   answer          the answer that was judged, as JSON
--   expected        the answer that was asked for, as JSON
--   details         what only this environment understands, as JSON
--   measured        durations and the like, as JSON
--   error_kind      the fault that spoilt it, where it was not the policy
--   error_message   what the fault said
--   environment     the environment
--   task_digest     equal digests are the same task
--   task_seed       the seed the task was generated with
--   seed            the seed of the try
--   happened_at     when it was played (UTC)
--   id              the event: icecore event ID shows it whole
--   run_id          the identity of the run
--   stream          the attempt it is recorded in
--   revision        its place there
--   sealed          whether a seal vouches for it

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
  step BIGINT,
  policy VARCHAR,
  checkpoint VARCHAR,
  outcome VARCHAR,
  success BOOLEAN,
  failure_class VARCHAR,
  failures STRUCT(class VARCHAR, step BIGINT, says VARCHAR, details JSON)[],
  stop_reason VARCHAR,
  truncated BOOLEAN,
  error_kind VARCHAR,
  error_message VARCHAR,
  reward DOUBLE,
  reward_reason VARCHAR,
  rewards MAP(VARCHAR, DOUBLE),
  metrics MAP(VARCHAR, DOUBLE),
  decisions BIGINT,
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
  data.environment, data.instance.id, data.instance.digest, data.instance.seed ->> '$',
  from_json(data.instance.facts, '"MAP(VARCHAR, DOUBLE)"'),
  data.split, data.family, data.sample, data.step, data.policy, data.checkpoint,
  data.outcome, data.success, data.failureClass, data.failures, data.stopReason, data.truncated, data.error.kind, data.error.message,
  try_cast(data.reward AS DOUBLE), data.reward ->> '$.reason',
  from_json(data.rewards, '"MAP(VARCHAR, DOUBLE)"'), from_json(data.metrics, '"MAP(VARCHAR, DOUBLE)"'),
  data.decisions, data.tokens.input, data.tokens.output, data.tokens.reasoning, data.tokens.cached,
  data.cost.total, data.cost.currency,
  data.prompt ->> '$.text', data.completion ->> '$.text', data.reasoning ->> '$.text',
  data.answer, data.expected, data.details.content, data.measured, data.seed ->> '$'
FROM batch;

-- What the rollouts of an attempt add up to, in as many parts as it was filled in: statistics of stages are made of these,
-- however many rollouts there are.
CREATE TABLE log.tallies (
  attempt UBIGINT NOT NULL,
  split VARCHAR,
  family VARCHAR,
  failure_class VARCHAR,
  rollouts BIGINT NOT NULL,
  tasks BIGINT NOT NULL,
  spoilt BIGINT NOT NULL,
  judged BIGINT NOT NULL,
  solved BIGINT NOT NULL,
  truncated BIGINT NOT NULL,
  reward DOUBLE NOT NULL,
  rewarded BIGINT NOT NULL,
  decisions DOUBLE NOT NULL,
  decided BIGINT NOT NULL
);

-- add up rollouts
INSERT INTO log.tallies
SELECT
  attempt, split, family, failure_class, count(*) AS rollouts,
  count(*) FILTER (coalesce(sample, 0) = 0) AS tasks, count(error_kind) AS spoilt,
  count(success) FILTER (error_kind IS NULL) AS judged,
  count(*) FILTER (success AND error_kind IS NULL) AS solved, count(*) FILTER (truncated) AS truncated,
  coalesce(sum(reward), 0) AS reward, count(reward) AS rewarded,
  coalesce(sum(decisions::DOUBLE), 0) AS decisions, count(decisions) AS decided
FROM added GROUP BY ALL;

CREATE VIEW rollouts AS
SELECT
  a.run, a.stage, r.split, a.part, r.family, r.task, r.sample, r.step, r.policy, r.checkpoint, r.outcome, r.success,
  r.failure_class, r.stop_reason, r.truncated, r.reward, r.reward_reason, r.rewards, r.metrics, r.facts, r.decisions,
  r.input_tokens, r.output_tokens, r.reasoning_tokens, r.cached_tokens, r.cost, r.currency,
  r.prompt, r.completion, r.reasoning, r.answer, r.expected, r.details, r.measured, r.error_kind, r.error_message,
  r.environment, r.task_digest, r.task_seed, r.seed, r.happened_at, r.id, a.run_id, a.stream, r.revision, a.sealed
FROM log.rollouts AS r
JOIN log.counting AS a ON a.attempt = r.attempt AND r.revision < a.upto;
