-- Configurations: the value of each knob, one row a knob. For a stage that began, the configuration in force; for one
-- that was decided and has not begun, the decision. For the stages a fork shares, see lineage.
--
--   run            the run
--   stage          the stage
--   family         the family of the knob; null: it concerns all families
--   knob           the full name of the knob: 8.hole
--   short_name     its name within its family: hole
--   value          its value
--   began          whether the stage began with it; false: it was decided, and nothing later is recorded
--   configuration  the digest of the whole configuration: equal digests are equal configurations
--   run_id         the identity of the run

CREATE TABLE log.configurations (
  run_id VARCHAR,
  stage BIGINT,
  revision BIGINT,
  id UUID,
  adopted BOOLEAN,
  configuration VARCHAR,
  knobs STRUCT(knob VARCHAR, family VARCHAR, "value" DOUBLE)[]
);

-- fill from StageStarted
INSERT INTO log.configurations
SELECT run_id, stage, revision, id, false, data.configuration.digest, data.configuration.knobs
FROM batch WHERE data.configuration.digest IS NOT NULL;

-- fill from ConfigAdopted
INSERT INTO log.configurations
SELECT run_id, stage, revision, id, true, data.configuration.digest, data.configuration.knobs FROM batch;

CREATE VIEW configs AS
SELECT
  s.run, s.stage, s.one.family AS family, s.one.knob AS knob, knob_short_name(s.one.knob, s.one.family) AS short_name,
  s.one."value" AS value, s.began, s.configuration, s.run_id
FROM (
  SELECT c.run, c.stage, c.began, c.run_id, k.configuration, unnest(k.knobs) AS one
  FROM log.course AS c JOIN log.configurations AS k ON k.id = c.configuration
  -- A fork may use a decision of its parent; the stage is still its own.
  WHERE coalesce(c.recorder, c.decider) = c.run_id
) AS s;
