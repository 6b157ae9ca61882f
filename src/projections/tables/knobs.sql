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

CREATE TABLE log.descriptors (
  run_id VARCHAR,
  revision BIGINT,
  environment VARCHAR,
  knobs STRUCT(
    name VARCHAR, path VARCHAR[], meaning VARCHAR, family VARCHAR, "range" STRUCT(min DOUBLE, max DOUBLE), step DOUBLE,
    "integer" BOOLEAN, harder VARCHAR, provokes VARCHAR[]
  )[],
  shares STRUCT(knobs VARCHAR[], total DOUBLE)[],
  families STRUCT(family VARCHAR, meaning VARCHAR)[]
);

-- fill from RunStarted
INSERT INTO log.descriptors
SELECT
  run_id, revision, data.descriptor.environment, data.descriptor.knobs, data.descriptor.sharesSum,
  data.descriptor.families
FROM batch WHERE data.descriptor.environment IS NOT NULL;

-- A fork without a descriptor has its parent's.
CREATE VIEW log.described AS
SELECT n.run, a.run_id, d.environment, d.knobs, d.shares, d.families
FROM log.ancestors AS a
JOIN log.run_names AS n ON n.run_id = a.run_id
JOIN log.descriptors AS d ON d.run_id = a.ancestor AND d.revision <= a.upto
QUALIFY row_number() OVER (PARTITION BY n.run, a.run_id ORDER BY a.depth, d.revision DESC) = 1;

CREATE VIEW log.described_knobs AS
SELECT
  run, run_id, environment, position, one.name AS knob, one.family AS family, one.meaning AS meaning,
  one."range".min AS lowest, one."range".max AS highest, one.step AS step, coalesce(one."integer", false) AS integer,
  one.harder AS harder, one.provokes AS provokes,
  list_filter(shares, lambda share: list_contains(share.knobs, one.name))[1].total AS share_of
FROM (SELECT *, unnest(knobs) AS one, generate_subscripts(knobs, 1) AS position FROM log.described);

CREATE VIEW knobs AS
SELECT
  k.run, k.environment, k.position, k.knob, k.family, knob_short_name(k.knob, k.family) AS short_name, k.meaning, k.lowest,
  k.highest, k.step, k.integer, k.harder, k.provokes, k.share_of, k.run_id
FROM log.described_knobs AS k;
