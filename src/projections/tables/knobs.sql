-- Knobs: what can be changed in the environment of a run, as its descriptor has it.
--
--   run          the run
--   environment  its environment
--   position     its position among the knobs, from 1
--   knob         the full name of the knob: 8.hole
--   family       its family; null: it concerns all families
--   short_name   its name within its family: hole
--   meaning      what it is
--   lowest       its lowest value
--   highest      its highest value
--   step         the smallest change that matters
--   integer      whether only integers are allowed
--   harder       whether tasks get harder with more of it or with less; null where that is not known
--   provokes     the failure classes that get more frequent as it gets harder, likeliest first
--   share_of     for a knob that is a share of a whole: the total of the shares
--   run_id       the identity of the run

-- filled from decisions
CREATE TABLE log.knobs (
  owner VARCHAR,
  environment VARCHAR,
  position BIGINT,
  knob VARCHAR,
  family VARCHAR,
  short_name VARCHAR,
  meaning VARCHAR,
  lowest DOUBLE,
  highest DOUBLE,
  step DOUBLE,
  "integer" BOOLEAN,
  harder VARCHAR,
  provokes VARCHAR[],
  share_of DOUBLE,
  run_id VARCHAR
);

CREATE VIEW knobs AS
SELECT n.run, k.* EXCLUDE (owner) FROM log.knobs AS k JOIN log.run_names AS n ON n.run_id = k.run_id;
