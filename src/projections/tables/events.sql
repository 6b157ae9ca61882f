-- Events: every event of the ledger as it was recorded, attempts that do not count included.

-- fill from all but RolloutRecorded, FailureRecorded, ModelAnswered
CREATE TABLE log.events (
  id UUID,               -- its id: icecore event show ID shows it whole
  stream VARCHAR,        -- its stream
  revision BIGINT,       -- its revision in the stream, from 0
  type VARCHAR,
  version USMALLINT,     -- the version of its type
  happened_at TIMESTAMP, -- when it happened (UTC)
  recorded_at TIMESTAMP, -- when the ledger wrote it (UTC)
  actor VARCHAR,         -- who did it, as kind/identity
  run_id VARCHAR,
  stage BIGINT,
  causes JSON,           -- the events that led to it, as JSON
  digest VARCHAR,        -- SHA-256 of its bytes
  data JSON              -- its content, as JSON; null for rollouts, failures and answers of models, which have tables
                         -- of their own
);

CREATE VIEW events AS
SELECT
  e.type,  -- its type; docs/events.md lists them
  n.run,   -- the run it belongs to; of an ablation's own, the ablation, as in rollouts; null for none
  e.stage, -- its stage; null for none
  happened_at, recorded_at, actor, data, stream, revision, version, causes, digest, id,
  e.run_id -- the identity of the run
FROM log.events AS e
LEFT JOIN log.recorders AS n ON n.run_id = e.run_id
UNION ALL
SELECT
  'RolloutRecorded', n.run, a.stage, happened_at, recorded_at, actor, NULL, a.stream, revision, version,
  coalesce(causes, '[]'), digest, id, a.run_id
FROM log.rollouts AS e
JOIN log.all_attempts AS a ON a.key = e.attempt
JOIN log.recorders AS n ON n.run_id = a.run_id
UNION ALL
SELECT
  'FailureRecorded', n.run, a.stage, happened_at, recorded_at, actor, NULL, a.stream, revision, version,
  coalesce(causes, '[]'), digest, id, a.run_id
FROM log.failures AS e
JOIN log.all_attempts AS a ON a.key = e.attempt
JOIN log.recorders AS n ON n.run_id = a.run_id
UNION ALL
SELECT
  'ModelAnswered', n.run, e.stage, happened_at, recorded_at, actor, NULL, stream, revision, version, causes, digest, id,
  e.run_id
FROM log.model_calls AS e
LEFT JOIN log.run_names AS n ON n.run_id = e.run_id;
