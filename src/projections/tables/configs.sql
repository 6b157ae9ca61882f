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

-- filled from decisions
CREATE TABLE log.configs (
  owner VARCHAR,
  stage BIGINT,
  family VARCHAR,
  knob VARCHAR,
  short_name VARCHAR,
  value DOUBLE,
  began BOOLEAN,
  configuration VARCHAR,
  run_id VARCHAR
);

CREATE VIEW configs AS
SELECT n.run, c.* EXCLUDE (owner) FROM log.configs AS c JOIN log.run_names AS n ON n.run_id = c.run_id;
