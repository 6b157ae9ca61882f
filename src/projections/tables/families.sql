-- Families: the task families in the environment of a run, as its descriptor has them. A family shares a set of knobs.
--
--   run          the run
--   environment  its environment
--   position     its position among the families, from 1: easiest first where there is an order
--   family       the family
--   meaning      what it is
--   knobs        its knobs
--   run_id       the identity of the run

-- filled from decisions
CREATE TABLE log.families (
  owner VARCHAR,
  environment VARCHAR,
  position BIGINT,
  family VARCHAR,
  meaning VARCHAR,
  knobs VARCHAR[],
  run_id VARCHAR
);

CREATE VIEW families AS
SELECT n.run, f.* EXCLUDE (owner) FROM log.families AS f JOIN log.run_names AS n ON n.run_id = f.run_id;
