-- Groups: the sets of knobs that belong together in the environment of a run, as its descriptor has them.
--
--   run          the run
--   environment  its environment
--   place        its place among the groups, from 1: the easiest first where there is an order
--   group_name   the group
--   meaning      what it is
--   knobs        the knobs that belong to it
--   run_id       the identity of the run

CREATE VIEW log.described_groups AS
SELECT run, run_id, environment, place, one."group" AS group_name, one.meaning AS meaning
FROM (SELECT *, unnest(groups) AS one, generate_subscripts(groups, 1) AS place FROM log.described);

CREATE VIEW groups AS
SELECT
  g.run, g.environment, g.place, g.group_name, g.meaning,
  coalesce(list(k.knob ORDER BY k.place) FILTER (k.knob IS NOT NULL), []) AS knobs, g.run_id
FROM log.described_groups AS g
LEFT JOIN log.described_knobs AS k ON k.run = g.run AND k.run_id = g.run_id AND k.group_name = g.group_name
GROUP BY ALL;
