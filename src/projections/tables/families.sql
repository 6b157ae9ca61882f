-- Families: the task families in the environment of a run, as its descriptor has them. A family shares a set of knobs.

-- filled from decisions, shown with run: the run
CREATE TABLE log.families (
  owner VARCHAR,
  environment VARCHAR, -- its environment
  position BIGINT,     -- its position among the families, from 1: easiest first where there is an order
  family VARCHAR,      -- the family
  meaning VARCHAR,     -- what it is
  knobs VARCHAR[],     -- its knobs
  run_id VARCHAR       -- the identity of the run
);
