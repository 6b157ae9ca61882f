-- Lineage: of which stages the history of a run is made, and who recorded them. A fork shares its parent's history, which
-- stands in tables under the run that recorded it: joined by recorded_by, it is there for the fork, too.
--
--   run          the run
--   stage        a stage of its history
--   recorded_by  the run that recorded it: itself, or for the shared stages of a fork its parent, or its parent's
--   shared       whether it belongs to the history of another run
--   upto         the last revision of the recorder's stream that is shared; null where all of it is
--   run_id       the identity of the run
--   recorder_id  the identity of the run that recorded it

CREATE TABLE log.stage_marks (
  run_id VARCHAR,
  stage BIGINT,
  revision BIGINT
);

-- What others record may speak of stages that were never said to start.
-- fill from StageStarted, TrainingRecorded, EvaluationRecorded, EvidenceSealed, SummaryRecorded, StageCompleted, ContextRecorded, ProposalRecorded, ProposalRejected
INSERT INTO log.stage_marks
SELECT run_id, stage, revision FROM batch WHERE stage IS NOT NULL AND starts_with(stream, 'run-');

-- Each run's own line: itself, its parent, the parent of that one. A line that comes back to itself ends there. Only of forks
-- is it followed: most runs have no parent, and nothing is kept back from a question about one of them.
CREATE VIEW log.ancestors AS
WITH RECURSIVE
forks AS (
  SELECT run_id, revision, parent, parent_stage, parent_revision FROM log.run_starts
  WHERE parent IS NOT NULL QUALIFY row_number() OVER (PARTITION BY run_id ORDER BY revision DESC) = 1
),
line AS (
  SELECT
    run_id, parent AS ancestor, 1 AS depth, parent_stage AS last_stage, parent_revision AS upto, [run_id, parent] AS path
  FROM forks WHERE parent <> run_id
  UNION ALL
  SELECT
    line.run_id, f.parent, line.depth + 1, least(line.last_stage, f.parent_stage), f.parent_revision,
    list_append(line.path, f.parent)
  FROM line
  JOIN forks AS f ON f.run_id = line.ancestor AND f.revision <= line.upto
  WHERE NOT list_contains(line.path, f.parent)
)
SELECT DISTINCT run_id, run_id AS ancestor, 0 AS depth, NULL::BIGINT AS last_stage, 9223372036854775807 AS upto
FROM log.streams WHERE run_id IS NOT NULL
UNION ALL
SELECT run_id, ancestor, depth, last_stage, upto FROM line;

-- A stage of which there is nothing but evidence is one, too.
CREATE VIEW log.recorded_stages AS
SELECT run_id, stage, min(revision) AS revision
FROM (
  SELECT run_id, stage, revision FROM log.stage_marks
  UNION ALL
  SELECT run_id, stage, 9223372036854775807 FROM log.streams WHERE kind = 'evidence'
)
GROUP BY run_id, stage;

-- Whose stage it is: what a fork adds to a stage it shares does not make it the fork's own.
CREATE VIEW log.history AS
SELECT
  a.run_id, m.stage, arg_max(a.ancestor, a.depth) AS recorder, arg_max(a.upto, a.depth) AS upto
FROM log.ancestors AS a
JOIN log.recorded_stages AS m
  ON m.run_id = a.ancestor AND (a.last_stage IS NULL OR m.stage <= a.last_stage) AND m.revision <= a.upto
GROUP BY a.run_id, m.stage;

CREATE VIEW lineage AS
SELECT
  n.run, h.stage, r.run AS recorded_by, h.recorder <> h.run_id AS shared,
  nullif(h.upto, 9223372036854775807) AS upto, h.run_id, h.recorder AS recorder_id
FROM log.history AS h
JOIN log.run_names AS n ON n.run_id = h.run_id
JOIN log.run_names AS r ON r.run_id = h.recorder;

-- The last evaluation of each stage of a run's history on a suite of that split, as figures of it are told.
CREATE VIEW log.judging AS
SELECT h.run_id, h.stage, e.split, e.id
FROM log.history AS h
JOIN log.evaluation_heads AS e ON e.run_id = h.recorder AND e.stage = h.stage AND e.revision <= h.upto
WHERE e.split IN ('validation', 'held-back') AND e.id NOT IN (SELECT id FROM log.arm_events WHERE id IS NOT NULL)
QUALIFY e.revision = max(e.revision) OVER (PARTITION BY h.run_id, h.stage, e.split);

CREATE VIEW log.judged AS
WITH
evaluated AS (
  SELECT l.run_id, l.stage, l.split, m.group_name, m.measure, m.value, m.count, m.out_of, m.low, m.high
  FROM log.judging AS l JOIN log.measurements AS m ON m.id = l.id AND m.conditions IS NULL
),
-- Over all groups, where nobody reckoned it and each says how many it counted.
pooled AS (
  SELECT
    run_id, stage, split, NULL AS group_name, measure, sum(count) / sum(out_of) AS value,
    try_cast(sum(count) AS BIGINT) AS count, try_cast(sum(out_of) AS BIGINT) AS out_of, NULL AS low, NULL AS high
  FROM evaluated GROUP BY run_id, stage, split, measure
  HAVING count(*) = count(group_name) AND count(*) = count(count) AND count(*) = count(out_of) AND sum(out_of) > 0
)
SELECT
  run_id, stage, split, group_name, measure, value, count, out_of,
  CASE WHEN low IS NULL OR high IS NULL THEN wilson_low(count, out_of) ELSE low END AS low,
  CASE WHEN low IS NULL OR high IS NULL THEN wilson_high(count, out_of) ELSE high END AS high
FROM (SELECT * FROM evaluated UNION ALL SELECT * FROM pooled);

-- The validation of each stage in a row a group; with group null, over all groups.
CREATE VIEW log.validation AS
SELECT
  run_id, stage, group_name,
  any_value(value) FILTER (measure = 'valid') AS valid,
  any_value(count) FILTER (measure = 'valid') AS count,
  any_value(out_of) FILTER (measure = 'valid') AS out_of,
  any_value(low) FILTER (measure = 'valid') AS valid_low,
  any_value(high) FILTER (measure = 'valid') AS valid_high,
  any_value(value) FILTER (measure = 'optimal') AS optimal
FROM log.judged WHERE split = 'validation'
GROUP BY run_id, stage, group_name;
