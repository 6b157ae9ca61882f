-- Knobs: what can be changed in the environment of a run, as its descriptor has it.

-- filled from decisions, shown with run: the run
CREATE TABLE log.knobs (
  owner VARCHAR,
  environment VARCHAR, -- its environment
  position BIGINT,     -- its position among the knobs, from 1
  knob VARCHAR,        -- the full name of the knob: 8.hole
  family VARCHAR,      -- its family; null: it concerns all families
  short_name VARCHAR,  -- its name within its family: hole
  meaning VARCHAR,     -- what it is
  lowest DOUBLE,       -- its lowest value
  highest DOUBLE,      -- its highest value
  step DOUBLE,         -- the smallest change that matters
  "integer" BOOLEAN,   -- whether only integers are allowed
  harder VARCHAR,      -- whether tasks get harder with more of it or with less; null where that is not known
  provokes VARCHAR[],  -- the failure classes that get more frequent as it gets harder, likeliest first
  teaches VARCHAR[],   -- the failure classes that the policy learns to avoid by training on more of it
  share_of DOUBLE,     -- for a knob that is a share of a whole: the total of the shares
  run_id VARCHAR       -- the identity of the run
);
