-- Events: every event of the ledger as it was recorded, attempts that do not count included.
--
--   type         its type; docs/events.md lists them
--   run          the run it belongs to; null for none
--   stage        its stage; null for none
--   happened_at  when it happened (UTC)
--   recorded_at  when the ledger wrote it (UTC)
--   actor        who did it, as kind/identity
--   data         its content, as JSON; null for rollouts, failures and answers of models, which have tables of their
--                own
--   stream       its stream
--   revision     its revision in the stream, from 0
--   version      the version of its type
--   causes       the events that led to it, as JSON
--   digest       SHA-256 of its bytes
--   id           its id: icecore event show ID shows it whole
--   run_id       the identity of the run

CREATE TABLE log.events (
  id UUID,
  stream VARCHAR,
  revision BIGINT,
  type VARCHAR,
  version USMALLINT,
  happened_at TIMESTAMP,
  recorded_at TIMESTAMP,
  actor VARCHAR,
  run_id VARCHAR,
  stage BIGINT,
  causes JSON,
  digest VARCHAR,
  data JSON
);

-- fill from all but RolloutRecorded, FailureRecorded, ModelAnswered
INSERT INTO log.events
SELECT id, stream, revision, type, version, happened_at, recorded_at, actor, run_id, stage, causes, digest, data FROM raw;

CREATE VIEW events AS
SELECT e.type, n.run, e.stage, happened_at, recorded_at, actor, data, stream, revision, version, causes, digest, id, e.run_id
FROM log.events AS e
LEFT JOIN log.run_names AS n ON n.run_id = e.run_id
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
