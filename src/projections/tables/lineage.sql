-- Lineage: the stages in the history of a run, and the run that recorded each. A fork shares its parent's history,
-- which other tables have under the run that recorded it: join by recorded_by to include it.
--
--   run          the run
--   stage        a stage of its history
--   recorded_by  the run that recorded it: itself, or for the shared stages of a fork its parent or an earlier
--                ancestor
--   shared       whether it belongs to the history of another run
--   upto         the last shared revision of the recorder's stream; null where all of it is shared
--   run_id       the identity of the run
--   recorder_id  the identity of the run that recorded it

CREATE TABLE log.stage_marks (
  run_id VARCHAR,
  stage BIGINT,
  revision BIGINT
);

-- An import may have events of stages without a StageStarted.
-- fill from StageStarted, TrainingRecorded, EvaluationRecorded, EvidenceSealed, StageCompleted
INSERT INTO log.stage_marks
SELECT run_id, stage, revision FROM batch WHERE stage IS NOT NULL AND starts_with(stream, 'run-');

-- What is shown for a stage, and proposed for it, comes from the stages before it.
-- fill from SummaryRecorded, ContextRecorded, ProposalRecorded, ProposalRejected, ProposalErrored
INSERT INTO log.stage_marks
SELECT run_id, stage - 1, revision FROM batch WHERE stage > 1 AND starts_with(stream, 'run-');

-- The ancestors of each run: itself, its parent, its parent's parent. A cycle ends where it closes. The recursion is of forks
-- only: most runs have no parent, and a filter by run then applies to the rest at once.
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
-- UNION removes duplicates. With DISTINCT and UNION ALL instead, DuckDB 1.5 shares one plan where a query names the view twice,
-- and confuses its columns where the query keeps the first rows of a window.
SELECT run_id, run_id AS ancestor, 0 AS depth, NULL::BIGINT AS last_stage, 9223372036854775807 AS upto
FROM log.streams WHERE run_id IS NOT NULL
UNION
SELECT run_id, ancestor, depth, last_stage, upto FROM line;

-- A stage with nothing but evidence is included.
CREATE VIEW log.recorded_stages AS
SELECT run_id, stage, min(revision) AS revision
FROM (
  SELECT run_id, stage, revision FROM log.stage_marks
  UNION ALL
  SELECT run_id, stage, 9223372036854775807 FROM log.streams WHERE kind = 'evidence'
)
GROUP BY run_id, stage;

-- The recorder of each stage: what a fork adds to a shared stage does not make it the fork's own.
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

-- The events that count for each stage of a run's history, and for decided stages beyond it, by id. Everything is grouped by
-- run and name, so that a filter by either applies at once. For that, a CTE that is used more than once must not be used by
-- another such CTE: DuckDB pushes filters down only one level.
--
-- recorder, upto: as in the history. decider: the run whose decision holds. configuration: the event with the configuration the
-- stage began with, or else the one decided for it. described_by, described_at: the run whose descriptor holds, and its revision.
CREATE VIEW log.course AS
WITH
ancestors AS (SELECT n.run, a.* FROM log.ancestors AS a JOIN log.run_names AS n ON n.run_id = a.run_id),
history AS (
  SELECT a.run, a.run_id, m.stage, arg_max(a.ancestor, a.depth) AS recorder, arg_max(a.upto, a.depth) AS upto
  FROM ancestors AS a
  JOIN log.recorded_stages AS m
    ON m.run_id = a.ancestor AND (a.last_stage IS NULL OR m.stage <= a.last_stage) AND m.revision <= a.upto
  GROUP BY a.run, a.run_id, m.stage
),
heads AS (
  SELECT run_id, stage, revision, id, 'began' AS kind FROM log.configurations WHERE NOT adopted
  UNION ALL
  SELECT run_id, stage, revision, id, 'trained' FROM log.training WHERE NOT of_arm
  UNION ALL
  SELECT run_id, stage - 1, revision, id, module FROM log.summaries
  WHERE module IN ('failures', 'behaviour') AND starts_with(stream, 'run-')
  UNION ALL
  SELECT run_id, stage, revision, id, split FROM log.evaluation_heads
  WHERE split IN ('validation', 'probe-holdout') AND NOT of_arm
  UNION ALL
  SELECT run_id, stage, revision, NULL, 'over' FROM log.stage_ends
),
-- A fork's own decisions count before its parent's.
known AS (
  SELECT h.run, h.run_id, h.stage, coalesce(e.kind, 'recorded') AS kind, h.recorder AS told_by, h.upto, e.id, e.revision
  FROM history AS h LEFT JOIN heads AS e ON e.run_id = h.recorder AND e.stage = h.stage AND e.revision <= h.upto
  UNION ALL
  SELECT a.run, a.run_id, d.stage, 'decided', d.run_id, NULL, d.id, d.revision - a.depth * 4294967296
  FROM ancestors AS a
  JOIN log.adoptions AS d
    ON d.run_id = a.ancestor AND d.revision <= a.upto AND (a.last_stage IS NULL OR d.stage <= a.last_stage + 1)
),
described AS (
  SELECT
    a.run, a.run_id, arg_min({'run_id': a.ancestor, 'revision': d.revision}, a.depth * 4294967296 - d.revision) AS descriptor
  FROM ancestors AS a JOIN log.descriptors AS d ON d.run_id = a.ancestor AND d.revision <= a.upto
  GROUP BY a.run, a.run_id
),
counted AS (
  SELECT
    run, run_id, stage,
    any_value(told_by) FILTER (kind <> 'decided') AS recorder, any_value(upto) AS upto,
    arg_max(told_by, revision) FILTER (kind = 'decided') AS decider,
    arg_max(id, revision) FILTER (kind = 'decided') AS decision,
    arg_min(id, revision) FILTER (kind = 'began') AS began,
    arg_max(id, revision) FILTER (kind = 'trained') AS training,
    arg_max(id, revision) FILTER (kind = 'failures') AS failures,
    arg_max(id, revision) FILTER (kind = 'behaviour') AS behaviour,
    arg_max(id, revision) FILTER (kind = 'validation') AS validation,
    arg_max(id, revision) FILTER (kind = 'probe-holdout') AS probe_holdout,
    bool_or(kind = 'over') AS completed
  FROM known GROUP BY run, run_id, stage
)
SELECT
  c.* EXCLUDE (began), c.began IS NOT NULL AS began, coalesce(c.began, c.decision) AS configuration,
  d.descriptor.run_id AS described_by, d.descriptor.revision AS described_at
FROM counted AS c
LEFT JOIN described AS d ON d.run = c.run AND d.run_id = c.run_id;

-- Measurements in each stage of a run's history, on the validation suite and on the probe-holdout tasks.
CREATE VIEW log.judged AS
WITH
evaluated AS (
  SELECT l.run, l.run_id, l.stage, l.one.split AS split, m.family, m.measure, m.value, m.count, m.out_of, m.low, m.high
  FROM (
    SELECT
      run, run_id, stage,
      unnest([{'split': 'validation', 'id': validation}, {'split': 'probe-holdout', 'id': probe_holdout}]) AS one
    FROM log.course
  ) AS l
  JOIN log.measurements AS m ON m.id = l.one.id
  WHERE m.conditions IS NULL
),
-- Over all families, where the event has no total and every family has its count.
pooled AS (
  SELECT
    run, run_id, stage, split, NULL AS family, measure, sum(count) / sum(out_of) AS value,
    try_cast(sum(count) AS BIGINT) AS count, try_cast(sum(out_of) AS BIGINT) AS out_of, NULL AS low, NULL AS high
  FROM evaluated GROUP BY run, run_id, stage, split, measure
  HAVING count(*) = count(family) AND count(*) = count(count) AND count(*) = count(out_of) AND sum(out_of) > 0
)
SELECT
  run, run_id, stage, split, family, measure, value, count, out_of,
  CASE WHEN low IS NULL OR high IS NULL THEN wilson_low(count, out_of) ELSE low END AS low,
  CASE WHEN low IS NULL OR high IS NULL THEN wilson_high(count, out_of) ELSE high END AS high
FROM (SELECT * FROM evaluated UNION ALL SELECT * FROM pooled);

-- The validation of each stage, one row for each family; with family null, over all families.
CREATE VIEW log.validation AS
SELECT c.run, c.run_id, c.stage, r.family, r.valid, r.valid_low, r.valid_high, r.optimal
FROM log.course AS c JOIN log.rated AS r ON r.id = c.validation;
