-- Attempts: the streams that hold evidence, one for each try to record a part of a stage (attempts at tasks are
-- rollouts). In a sealed stage, those count that its first seal names, up to the event it covers; in an unsealed one, the
-- attempts of each part that were reported to follow each other, or the newest.

CREATE TABLE log.seals (
  run_id VARCHAR,
  stage BIGINT,
  revision BIGINT,
  of_run BOOLEAN,
  position BIGINT,
  stream VARCHAR,
  events BIGINT
);

-- fill from EvidenceSealed
INSERT INTO log.seals
SELECT run_id, stage, revision, of_run, position, attempts[position].stream, attempts[position].count
FROM (
  -- A seal without attempts also seals its stage.
  SELECT
    run_id, stage, revision, starts_with(stream, 'run-') AS of_run, data.attempts AS attempts,
    unnest(range(1, greatest(len(data.attempts), 1) + 1)) AS position
  FROM batch
);

CREATE TABLE log.reported_attempts (
  run_id VARCHAR,
  stage BIGINT,
  revision BIGINT,
  part VARCHAR,
  stream VARCHAR,
  begin_at BIGINT,
  events BIGINT
);

-- fill from AttemptFinished
INSERT INTO log.reported_attempts
SELECT
  run_id, stage, revision, data.part, concat_ws('-', 'evidence', run_id, stage, data.part, data.attempt), data.begin, data.count
FROM batch WHERE data.begin IS NOT NULL;

CREATE TABLE log.finished_attempts (
  stream VARCHAR
);

-- fill from AttemptFinished
INSERT INTO log.finished_attempts
SELECT concat_ws('-', 'evidence', run_id, stage, data.part, data.attempt) FROM batch;

-- fill from ShardCompleted
INSERT INTO log.finished_attempts
SELECT concat_ws('-', 'evidence', run_id, stage, shard, attempts.attempt)
FROM (SELECT run_id, stage, data.shard AS shard, unnest(data.attempts) AS attempts FROM batch);

CREATE VIEW log.all_attempts AS
WITH
-- A stage of a run is sealed once: the first seal counts.
first_seals AS (
  SELECT * FROM log.seals QUALIFY NOT of_run OR revision = min(revision) OVER (PARTITION BY run_id, stage, of_run)
),
-- A part is sealed once, by one or several attempts.
seals AS (
  SELECT s.stream, s.events
  FROM first_seals AS s
  JOIN log.streams AS a ON a.stream = s.stream
  QUALIFY
    s.revision = min(s.revision) OVER (PARTITION BY s.run_id, s.stage, a.part)
    AND row_number() OVER (PARTITION BY s.stream ORDER BY s.revision, s.position) = 1
),
-- An attempt counts up to the first event of any attempt reported after it.
reported AS (
  SELECT
    stream,
    greatest(0, least(events, coalesce(
      min(begin_at) OVER (PARTITION BY run_id, stage, part ORDER BY revision ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING),
      begin_at + events
    ) - begin_at)) AS events
  FROM log.reported_attempts
  QUALIFY row_number() OVER (PARTITION BY stream ORDER BY revision) = 1
),
sealed AS (SELECT DISTINCT run_id, stage FROM log.seals),
numbered AS (
  SELECT *, attempt = max(attempt) OVER (PARTITION BY run_id, stage, part) AS newest
  FROM log.streams WHERE kind = 'evidence'
)
SELECT
  md5_number_lower(a.stream) AS key, a.stream, a.run_id, a.stage, a.part, a.shard, a.attempt, a.events, a.last,
  sealed.run_id IS NOT NULL AS sealed,
  CASE
    WHEN sealed.run_id IS NOT NULL THEN coalesce(s.events, 0)
    WHEN f.stream IS NOT NULL THEN f.events
    WHEN a.newest THEN a.last + 1
    ELSE 0
  END AS upto
FROM numbered AS a
LEFT JOIN seals AS s ON s.stream = a.stream
LEFT JOIN reported AS f ON f.stream = a.stream
LEFT JOIN sealed ON sealed.run_id = a.run_id AND sealed.stage = a.stage;

-- Joins evidence with its run and stage.
CREATE VIEW log.counting AS
SELECT a.key AS attempt, n.run, a.run_id, a.stage, a.part, a.shard, a.stream, a.sealed, a.upto, a.last
FROM log.all_attempts AS a
JOIN log.recorders AS n ON n.run_id = a.run_id
WHERE a.upto > 0;

CREATE VIEW attempts AS
SELECT
  n.run,                                     -- the run; of trained arms, the ablation, as in rollouts
  a.stage,                                   -- its stage
  a.part,                                    -- what its rollouts are of: the number of a shard (the probe tasks and the
                                             -- sample of training), training, or what was evaluated: validation,
                                             -- probe_holdout, the suite; of an arm: arm2.training, arm2.validation
  a.shard,                                   -- the number of the shard; null where the part is not a shard
  a.attempt,                                 -- the number of the attempt at this part, from 0
  a.upto > 0 AS counts,                      -- whether its evidence counts
  a.sealed AND a.upto > 0 AS sealed,         -- whether a seal covers it
  a.stream IN (SELECT stream FROM log.finished_attempts) AS finished, -- whether its writer recorded that it takes no
                                             -- more events; where evidence has a store of its own, others see no
                                             -- attempt before
  a.events,                                  -- number of events in its stream
  least(a.upto, a.events) AS events_counted, -- how many of them count, from the first
  a.stream,                                  -- its stream
  a.run_id                                   -- the identity of the run
FROM log.all_attempts AS a
JOIN log.recorders AS n ON n.run_id = a.run_id;
