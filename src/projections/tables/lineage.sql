-- Lineage: the stages in the history of a run, and the run that recorded each. A fork shares its parent's history,
-- which other tables have under the run that recorded it: join by recorded_by to include it.

-- filled from decisions
CREATE TABLE log.lineage (
  owner VARCHAR,
  stage BIGINT,        -- a stage of its history
  recorder_id VARCHAR, -- the identity of the run that recorded it
  upto BIGINT,         -- the last shared revision of the recorder's stream; null where all of it is shared
  run_id VARCHAR       -- the identity of the run
);

CREATE VIEW lineage AS
SELECT
  n.run,                               -- the run
  l.stage,
  r.run AS recorded_by,                -- the run that recorded it: itself, or for the shared stages of a fork its
                                       -- parent or an earlier ancestor
  l.recorder_id <> l.run_id AS shared, -- whether it belongs to the history of another run
  l.upto, l.run_id, l.recorder_id
FROM log.lineage AS l
JOIN log.run_names AS n ON n.run_id = l.run_id
JOIN log.run_names AS r ON r.run_id = l.recorder_id;

-- Runs that share stages are no independent evidence: forks belong to the history of the run that recorded their first stage.
CREATE VIEW log.histories AS
SELECT n.run_id, coalesce(nullif(f.recorder_id, n.run_id), r.parent, n.run_id) AS history
FROM log.run_names AS n
LEFT JOIN (SELECT run_id, arg_min(recorder_id, stage) AS recorder_id FROM log.lineage GROUP BY run_id) AS f ON f.run_id = n.run_id
LEFT JOIN log.runs AS r ON r.run_id = n.run_id;
