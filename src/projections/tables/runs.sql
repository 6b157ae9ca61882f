-- Runs.
--
--   run   the run

CREATE TABLE log.run_starts (
  run_id VARCHAR,
  name VARCHAR,
  revision BIGINT
);

-- fill from RunStarted
INSERT INTO log.run_starts SELECT run_id, data.name, revision FROM batch;

-- People know runs by name; where several have the same, by the name and the identity. A run that others recorded may have no name.
CREATE VIEW log.run_names AS
WITH named AS (SELECT run_id, arg_min(name, revision) AS name FROM log.run_starts WHERE run_id IS NOT NULL GROUP BY run_id),
known AS (SELECT DISTINCT run_id FROM log.streams WHERE run_id IS NOT NULL)
SELECT
  run_id,
  CASE WHEN name IS NULL THEN run_id WHEN count(*) OVER (PARTITION BY name) > 1 THEN name || '~' || run_id ELSE name END AS run
FROM known LEFT JOIN named USING (run_id);

CREATE VIEW runs AS SELECT run FROM log.run_names;
