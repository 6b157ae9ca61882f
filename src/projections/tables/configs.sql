-- Configurations: what each knob was set to, a row each. Of a stage that began, what was in force; of one that was decided
-- and has not begun, what was decided. For the stages that a fork shares, see lineage.
--
--   run            the run
--   stage          the stage
--   group_name     the group the knob belongs to; null: it concerns all of them
--   knob           the knob, as people write it: 8.hole
--   word           what it is called within its group: hole
--   value          what it was set to
--   began          whether the stage began with it; false: it was decided, and no more is known
--   configuration  the digest of the whole configuration: equal digests are the same
--   run_id         the identity of the run

CREATE TABLE log.configurations (
  run_id VARCHAR,
  stage BIGINT,
  revision BIGINT,
  id UUID,
  adopted BOOLEAN,
  configuration VARCHAR,
  knobs STRUCT(knob VARCHAR, "group" VARCHAR, "value" DOUBLE)[]
);

-- fill from StageStarted
INSERT INTO log.configurations
SELECT run_id, stage, revision, id, false, data.configuration.digest, data.configuration.knobs
FROM batch WHERE data.configuration.digest IS NOT NULL;

-- fill from ConfigAdopted
INSERT INTO log.configurations
SELECT run_id, data.forStage, revision, id, true, data.configuration.digest, data.configuration.knobs FROM batch;

-- The configuration of each stage of a run's history: what it began with, or else what was adopted for it last.
CREATE VIEW log.configured AS
SELECT run_id, stage, recorder, began, configuration, knobs
FROM (
  SELECT h.run_id, h.stage, h.recorder, true AS began, c.revision, c.configuration, c.knobs
  FROM log.history AS h
  JOIN log.configurations AS c ON c.run_id = h.recorder AND c.stage = h.stage AND c.revision <= h.upto AND NOT c.adopted
  UNION ALL
  -- A fork may go on with what its parent decided: then the stage is its own nevertheless.
  SELECT d.run_id, d.for_stage, coalesce(h.recorder, d.recorder), false, d.revision, c.configuration, c.knobs
  FROM log.decided AS d
  JOIN log.configurations AS c ON c.id = d.id AND c.adopted
  LEFT JOIN log.history AS h ON h.run_id = d.run_id AND h.stage = d.for_stage
)
QUALIFY row_number() OVER (PARTITION BY run_id, stage ORDER BY began DESC, revision) = 1;

-- In a row a knob.
CREATE VIEW log.settings AS
SELECT
  run_id, stage, recorder, began, configuration, place, one.knob AS knob, one."group" AS group_name,
  one."value" AS value
FROM (SELECT *, unnest(knobs) AS one, generate_subscripts(knobs, 1) AS place FROM log.configured);

CREATE VIEW configs AS
SELECT
  n.run, s.stage, s.group_name, s.knob, knob_word(s.knob, s.group_name) AS word, s.value, s.began, s.configuration,
  s.run_id
FROM log.settings AS s
JOIN log.run_names AS n ON n.run_id = s.run_id
WHERE s.recorder = s.run_id;
