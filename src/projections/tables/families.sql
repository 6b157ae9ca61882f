-- Families: the task families in the environment of a run, as its descriptor has them. A family shares a set of knobs.
--
--   run          the run
--   environment  its environment
--   position     its position among the families, from 1: easiest first where there is an order
--   family       the family
--   meaning      what it is
--   knobs        its knobs
--   run_id       the identity of the run

CREATE VIEW log.described_families AS
SELECT run, run_id, environment, position, one.family AS family, one.meaning AS meaning
FROM (SELECT *, unnest(families) AS one, generate_subscripts(families, 1) AS position FROM log.described);

CREATE VIEW families AS
SELECT
  g.run, g.environment, g.position, g.family, g.meaning,
  coalesce(list(k.knob ORDER BY k.position) FILTER (k.knob IS NOT NULL), []) AS knobs, g.run_id
FROM log.described_families AS g
LEFT JOIN log.described_knobs AS k ON k.run = g.run AND k.run_id = g.run_id AND k.family = g.family
GROUP BY ALL;
