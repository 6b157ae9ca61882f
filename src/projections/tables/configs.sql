-- Configurations: what each knob was set to, a row each. Of a stage that began, what was in force; of one that was decided
-- and has not begun, what was decided. For the stages that a fork shares, see lineage.
--
--   run            the run
--   stage          the stage
--   family     the family the knob belongs to; null: it concerns all of them
--   knob           the knob, as people write it: 8.hole
--   word           what it is called within its family: hole
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
  knobs STRUCT(knob VARCHAR, family VARCHAR, "value" DOUBLE)[]
);

-- fill from StageStarted
INSERT INTO log.configurations
SELECT run_id, stage, revision, id, false, data.configuration.digest, data.configuration.knobs
FROM batch WHERE data.configuration.digest IS NOT NULL;

-- fill from ConfigAdopted
INSERT INTO log.configurations
SELECT run_id, data.forStage, revision, id, true, data.configuration.digest, data.configuration.knobs FROM batch;

CREATE VIEW configs AS
SELECT
  s.run, s.stage, s.one.family AS family, s.one.knob AS knob, knob_word(s.one.knob, s.one.family) AS word,
  s.one."value" AS value, s.began, s.configuration, s.run_id
FROM (
  SELECT c.run, c.stage, c.began, c.run_id, k.configuration, unnest(k.knobs) AS one
  FROM log.course AS c JOIN log.configurations AS k ON k.id = c.configuration
  -- A fork may go on with what its parent decided: then the stage is its own nevertheless.
  WHERE coalesce(c.recorder, c.decider) = c.run_id
) AS s;
