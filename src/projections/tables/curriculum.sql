-- The curriculum: what each group was set to, stage by stage, and what came of it. Of a fork it shows the whole history, with
-- who recorded it. The row without a group is about all groups together, and has the knobs that concern all.
--
--   run            the run
--   stage          the stage
--   group_name     the group; null: all of them
--   place          its place among the groups, the easiest first where there is an order
--   share          its share of the training data, where some knobs are shares of one whole
--   knobs          what its knobs were set to, by what they are called in it: knobs['hole']
--   changed        which of them were turned for this stage
--   valid_before   how often it succeeded in the validation of the stage before
--   valid          how often it succeeded in the validation of this stage
--   valid_low      the lower end of its 95 % interval
--   valid_high     the upper end
--   gain           valid less valid_before
--   optimal        the share of tries that were the best there is
--   signal         the share of groups of samples whose rewards differed: what there was to learn from
--   failure_class  the way it failed most often
--   failures       how often it failed that way
--   failed_in      what that was counted in: splits of the evidence, or the validation suite
--   completed      whether the stage is over
--   environment    the environment
--   engineer       who decided on the configuration: the engineer that was asked, or the person
--   recorded_by    the run that recorded the stage
--   run_id         the identity of the run

-- How much there was to learn in each stage of a run's history.
CREATE VIEW log.signals AS
WITH
trained AS (
  SELECT h.run_id, h.stage, t.id
  FROM log.history AS h
  JOIN log.training AS t ON t.run_id = h.recorder AND t.stage = h.stage AND t.revision <= h.upto
  WHERE t.id NOT IN (SELECT id FROM log.arm_events WHERE id IS NOT NULL)
  QUALIFY t.revision = max(t.revision) OVER (PARTITION BY h.run_id, h.stage)
),
told AS (
  SELECT t.run_id, t.stage, s.group_name, s.share, s.groups, s.with_variance
  FROM trained AS t JOIN log.training_signal AS s ON s.id = t.id
  WHERE s.groups IS NOT NULL
)
SELECT run_id, stage, group_name, share FROM told
UNION ALL
SELECT run_id, stage, NULL, sum(with_variance) / nullif(sum(groups), 0) FROM told GROUP BY run_id, stage
HAVING count(*) = count(group_name);

-- The ways to fail in each stage of a run's history: as the probe rollouts have it, or else as the validation suite has.
CREATE VIEW log.failed AS
WITH
history AS MATERIALIZED (SELECT * FROM log.history),
summed AS (
  SELECT h.run_id, h.stage, s.id, coalesce(array_to_string(s.splits, ', '), 'evidence') AS counted_in
  FROM history AS h
  JOIN log.summaries AS s ON s.run_id = h.recorder AND s.stage = h.stage AND s.revision <= h.upto
  WHERE s.module = 'failures' AND starts_with(s.stream, 'run-')
  QUALIFY s.revision = max(s.revision) OVER (PARTITION BY h.run_id, h.stage)
),
validated AS (
  SELECT h.run_id, h.stage, e.id, 'suite ' || e.suite AS counted_in
  FROM history AS h
  JOIN log.evaluation_heads AS e ON e.run_id = h.recorder AND e.stage = h.stage AND e.revision <= h.upto
  WHERE e.split = 'validation' AND e.id NOT IN (SELECT id FROM log.arm_events WHERE id IS NOT NULL)
  QUALIFY e.revision = max(e.revision) OVER (PARTITION BY h.run_id, h.stage)
),
told AS (
  SELECT s.run_id, s.stage, s.counted_in, f.group_name, f.about AS failure_class, f.count
  FROM summed AS s JOIN log.facts AS f ON f.id = s.id WHERE f.about IS NOT NULL
  UNION ALL
  SELECT v.run_id, v.stage, v.counted_in, f.group_name, f.failure_class, f.count
  FROM validated AS v
  JOIN log.evaluation_failures AS f ON f.id = v.id
  LEFT JOIN summed AS s ON s.run_id = v.run_id AND s.stage = v.stage
  WHERE s.run_id IS NULL
)
SELECT
  run_id, stage, counted_in, group_name, failure_class,
  CASE WHEN count(*) = count(count) THEN try_cast(sum(count) AS BIGINT) END AS count
FROM told GROUP BY ALL
UNION ALL
SELECT
  t.run_id, t.stage, t.counted_in, NULL, t.failure_class,
  CASE WHEN count(*) = count(t.count) THEN try_cast(sum(t.count) AS BIGINT) END
FROM told AS t
ANTI JOIN (SELECT * FROM told WHERE group_name IS NULL) AS p ON p.run_id = t.run_id AND p.stage = t.stage
GROUP BY t.run_id, t.stage, t.counted_in, t.failure_class;

-- How training data are shared out: by the knobs that are shares of one whole, one a group. The first of the wholes of which
-- there is more than one share counts; without a descriptor, the first word that every group has a knob of, where these come
-- to one.
CREATE VIEW log.shares AS
WITH
grouped AS (SELECT *, knob_word(knob, group_name) AS word FROM log.settings WHERE group_name IS NOT NULL),
described AS MATERIALIZED (SELECT run_id, shares FROM log.described),
wholes AS (
  SELECT run_id, place, unnest(shares[place].knobs) AS knob
  FROM (SELECT run_id, shares, generate_subscripts(shares, 1) AS place FROM described)
),
perhaps AS (
  SELECT
    *, min(place) OVER word_of AS whole, count(*) OVER word_of AS knobs, sum(value) OVER word_of AS total,
    count(DISTINCT group_name) OVER (PARTITION BY run_id, stage) AS groups
  FROM grouped
  WHERE run_id NOT IN (SELECT run_id FROM described)
  WINDOW word_of AS (PARTITION BY run_id, stage, word)
),
candidates AS (
  SELECT g.run_id, g.stage, g.group_name, g.value, w.place AS whole
  FROM grouped AS g JOIN wholes AS w ON w.run_id = g.run_id AND w.knob = g.knob
  UNION ALL
  SELECT run_id, stage, group_name, value, whole FROM perhaps
  WHERE groups > 1 AND knobs = groups AND abs(total - 1) < 1e-6
),
chosen AS (
  SELECT run_id, stage, whole, sum(value) AS total, count(*) AS many, count(DISTINCT group_name) AS groups
  FROM candidates GROUP BY run_id, stage, whole HAVING count(*) > 1
  QUALIFY row_number() OVER (PARTITION BY run_id, stage ORDER BY whole) = 1
)
SELECT c.run_id, c.stage, c.group_name, c.value / o.total AS share
FROM chosen AS o JOIN candidates AS c ON c.run_id = o.run_id AND c.stage = o.stage AND c.whole = o.whole
WHERE o.total > 0 AND o.groups = o.many;

CREATE VIEW curriculum AS
WITH
settings AS MATERIALIZED (SELECT * FROM log.settings),
validation AS MATERIALIZED (SELECT * FROM log.validation),
signals AS MATERIALIZED (SELECT * FROM log.signals),
history AS MATERIALIZED (SELECT * FROM log.history),
met AS (
  SELECT run_id, stage, group_name FROM settings
  UNION
  SELECT run_id, stage, group_name FROM validation
  UNION
  SELECT run_id, stage, group_name FROM signals
  UNION
  SELECT run_id, stage, NULL FROM history
),
set_to AS (
  SELECT
    s.run_id, s.stage, s.group_name,
    map_from_entries(list({'key': s.word, 'value': s.value} ORDER BY s.place)) AS knobs
  FROM (
    SELECT *, knob_word(knob, group_name) AS word FROM settings
    QUALIFY row_number() OVER (PARTITION BY run_id, stage, group_name, word ORDER BY place) = 1
  ) AS s
  GROUP BY s.run_id, s.stage, s.group_name
),
turned AS (
  SELECT run_id, for_stage AS stage, group_name, list(knob_word(knob, group_name) ORDER BY place, knob) AS changed
  FROM log.turned GROUP BY ALL
),
worst AS (
  SELECT run_id, stage, group_name, failure_class, count, counted_in FROM log.failed
  QUALIFY row_number() OVER (PARTITION BY run_id, stage, group_name ORDER BY count DESC NULLS LAST, failure_class) = 1
),
over AS (
  SELECT DISTINCT h.run_id, h.stage
  FROM history AS h
  JOIN log.stage_ends AS e ON e.run_id = h.recorder AND e.stage = h.stage AND e.revision <= h.upto
)
SELECT
  n.run, m.stage, m.group_name, g.place, d.share, coalesce(k.knobs, MAP {}) AS knobs, coalesce(t.changed, []) AS changed,
  b.valid AS valid_before, v.valid, v.valid_low, v.valid_high, v.valid - b.valid AS gain, v.optimal, s.share AS signal,
  f.failure_class, f.count AS failures, f.counted_in AS failed_in, o.run_id IS NOT NULL AS completed, r.environment,
  y.engineer, w.run AS recorded_by, m.run_id
FROM met AS m
JOIN log.run_names AS n ON n.run_id = m.run_id
LEFT JOIN history AS h ON h.run_id = m.run_id AND h.stage = m.stage
LEFT JOIN log.run_names AS w ON w.run_id = h.recorder
LEFT JOIN over AS o ON o.run_id = m.run_id AND o.stage = m.stage
LEFT JOIN log.begun_runs AS r ON r.run_id = m.run_id
LEFT JOIN log.decided AS a ON a.run_id = m.run_id AND a.for_stage = m.stage
LEFT JOIN log.deciders AS y ON y.id = a.id
LEFT JOIN log.described_groups AS g ON g.run_id = m.run_id AND g.group_name = m.group_name
LEFT JOIN set_to AS k
  ON k.run_id = m.run_id AND k.stage = m.stage AND k.group_name IS NOT DISTINCT FROM m.group_name
LEFT JOIN log.shares AS d ON d.run_id = m.run_id AND d.stage = m.stage AND d.group_name = m.group_name
LEFT JOIN turned AS t
  ON t.run_id = m.run_id AND t.stage = m.stage AND t.group_name IS NOT DISTINCT FROM m.group_name
LEFT JOIN validation AS b
  ON b.run_id = m.run_id AND b.stage = m.stage - 1 AND b.group_name IS NOT DISTINCT FROM m.group_name
LEFT JOIN validation AS v
  ON v.run_id = m.run_id AND v.stage = m.stage AND v.group_name IS NOT DISTINCT FROM m.group_name
LEFT JOIN signals AS s
  ON s.run_id = m.run_id AND s.stage = m.stage AND s.group_name IS NOT DISTINCT FROM m.group_name
LEFT JOIN worst AS f
  ON f.run_id = m.run_id AND f.stage = m.stage AND f.group_name IS NOT DISTINCT FROM m.group_name;
