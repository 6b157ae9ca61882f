-- Configurations: the value of each knob, one row per knob. For a stage that began, the current configuration; for one
-- that was decided and has not started, the decision. For the stages a fork shares, see lineage.

-- filled from decisions, shown with run: the run
CREATE TABLE log.configs (
  owner VARCHAR,
  stage BIGINT,          -- the stage
  family VARCHAR,        -- the family of the knob; null: it concerns all families
  knob VARCHAR,          -- the full name of the knob: 8.hole
  short_name VARCHAR,    -- its name within its family: hole
  value DOUBLE,          -- its value
  began BOOLEAN,         -- whether the stage started with it; false: it was decided, and nothing later is recorded
  configuration VARCHAR, -- the digest of the whole configuration: equal digests are equal configurations
  run_id VARCHAR         -- the identity of the run
);
