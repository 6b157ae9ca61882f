-- The curriculum: the configuration of each family stage by stage, and its results. For a fork it shows the whole
-- history, with the run that recorded each stage. The row without a family is about all families together and has the
-- knobs that concern all.
--
--   run              the run
--   stage            the stage
--   family           the family; null: all families
--   position         its position among the families, from 1: easiest first where there is an order
--   share            its share of the training data, where some knobs are shares of one whole
--   knobs            the values of its knobs by short name: knobs['hole']
--   changed          the knobs among them that were changed for this stage
--   valid_before     the valid rate in the validation of the stage before
--   valid            the valid rate in the validation of this stage
--   valid_low        the lower end of its 95 % interval
--   valid_high       the upper end
--   gain             valid minus valid_before
--   optimal          the optimal rate
--   learning_signal  the share of sample groups whose rewards differed
--   failure_class    the most frequent failure class
--   failures         number of failures of that class
--   failed_in        where they were counted: splits of the evidence, or the validation suite
--   completed        whether the stage is complete
--   environment      the environment
--   engineer         who decided on the configuration: the engineer that was asked, or the person
--   recorded_by      the run that recorded the stage
--   run_id           the identity of the run

CREATE VIEW curriculum AS
WITH
-- Stored tables are joined by the ids in the course, so that a query about one run reads only its rows.
course AS (FROM log.course),
changing AS (
  SELECT
    c.run, c.run_id, c.stage, c.described_by, s.knobs, k.shares, k.families,
    changed_knobs(s.knobs, b.knobs, d.changes, k.known) AS changed,
    list_filter(s.knobs, lambda one: one.family IS NOT NULL) AS grouped
  FROM course AS c
  LEFT JOIN (
    SELECT c.run, c.run_id, c.stage, s.knobs FROM course AS c JOIN log.configurations AS s ON s.id = c.configuration
  ) AS s ON s.run = c.run AND s.run_id = c.run_id AND s.stage = c.stage
  LEFT JOIN (
    SELECT c.run, c.run_id, c.stage, b.knobs FROM course AS c JOIN log.configurations AS b ON b.id = c.configuration
  ) AS b ON b.run = c.run AND b.run_id = c.run_id AND b.stage = c.stage - 1
  LEFT JOIN (
    SELECT c.run, c.run_id, c.stage, d.* EXCLUDE (run_id, stage) FROM course AS c JOIN log.adoptions AS d ON d.id = c.decision
  ) AS d ON d.run = c.run AND d.run_id = c.run_id AND d.stage = c.stage
  LEFT JOIN (
    SELECT c.run, c.run_id, k.*
    FROM (SELECT DISTINCT run, run_id, described_by, described_at FROM course) AS c
    JOIN log.describing AS k ON k.described_by = c.described_by AND k.described_at = c.described_at
  ) AS k ON k.run = c.run AND k.run_id = c.run_id
),
-- The shares of the training data: the knobs that the descriptor declares as shares of one whole, one for each family. The
-- first such whole with more than one share counts. Knobs that merely add up to 1 are no shares.
wholes AS (
  SELECT
    * EXCLUDE (grouped, shares),
    list_filter(
      list_transform(shares, lambda share: list_filter(grouped, lambda one: list_contains(share.knobs, one.knob))),
      lambda several: len(several) > 1
    )[1] AS whole
  FROM changing
),
shared AS (
  SELECT
    * EXCLUDE (whole, total),
    CASE WHEN total > 0 AND len(whole) = len(list_distinct(list_transform(whole, lambda one: one.family))) THEN
      list_transform(whole, lambda one: {'family': one.family, 'share': one."value" / total})
    END AS parts
  FROM (SELECT *, list_sum(list_transform(whole, lambda one: one."value")) AS total FROM wholes)
),
-- Includes families without knobs, and those whose last knob was removed.
settings AS (
  SELECT
    run, run_id, stage, cell.family AS family, len(own) > 0 AS met,
    list_position(families, cell.family)::BIGINT AS position,
    map_from_entries(list_filter(
      own, lambda one, i: list_position(list_transform(own, lambda other: other.key), one.key) = i
    )) AS knobs,
    list_transform(
      list_filter(changed, lambda one: one.family IS NOT DISTINCT FROM cell.family),
      lambda one: knob_short_name(one.knob, cell.family)
    ) AS changed,
    list_filter(parts, lambda one: one.family = cell.family)[1].share AS share
  FROM (
    SELECT
      *, list_transform(
        list_filter(knobs, lambda one: one.family IS NOT DISTINCT FROM cell.family),
        lambda one: {'key': knob_short_name(one.knob, cell.family), 'value': one."value"}
      ) AS own
    FROM (
      SELECT
        run, run_id, stage, knobs, changed, parts, families,
        unnest(list_distinct(list_concat(
          list_transform(knobs, lambda one: {'family': one.family}),
          list_transform(changed, lambda one: {'family': one.family}),
          list_transform(families, lambda one: {'family': one})
        ))) AS cell
      FROM shared
    )
  )
),
-- The validation of a stage is also the validation before the next one.
told AS (
  SELECT run, run_id, stage, NULL AS family, true AS met FROM course WHERE recorder IS NOT NULL
  UNION ALL BY NAME
  SELECT run, run_id, stage, family, met, position, knobs, changed, share FROM settings
  UNION ALL BY NAME
  SELECT
    c.run, c.run_id, c.stage, r.family, true AS met,
    {'valid': r.valid, 'low': r.valid_low, 'high': r.valid_high, 'optimal': r.optimal} AS rate
  FROM course AS c JOIN log.rated AS r ON r.id = c.validation
  UNION ALL BY NAME
  SELECT c.run, c.run_id, c.stage + 1 AS stage, r.family, false AS met, r.valid AS valid_before
  FROM course AS c JOIN log.rated AS r ON r.id = c.validation
  UNION ALL BY NAME
  SELECT c.run, c.run_id, c.stage, s.family, true AS met, s.share AS learning_signal
  FROM course AS c JOIN log.training_signal AS s ON s.id = c.training
  WHERE s.sample_groups IS NOT NULL OR s.pooled
  UNION ALL BY NAME
  SELECT
    c.run, c.run_id, c.stage, f.family, false AS met,
    {'failure_class': f.failure_class, 'count': f.count, 'counted_in': f.counted_in} AS worst
  FROM course AS c JOIN log.worst_failures AS f ON f.id = coalesce(c.failures, c.validation)
),
cells AS (
  SELECT
    run, run_id, stage, family, any_value(position) AS position, any_value(knobs) AS knobs, any_value(changed) AS changed,
    any_value(share) AS share, any_value(rate) AS rate, any_value(valid_before) AS valid_before, any_value(learning_signal) AS learning_signal, any_value(worst) AS worst
  FROM told GROUP BY run, run_id, stage, family HAVING bool_or(met)
)
SELECT
  m.run, m.stage, m.family, m.position, m.share,
  coalesce(m.knobs, MAP {}) AS knobs, coalesce(m.changed, []) AS changed, m.valid_before, m.rate.valid AS valid,
  m.rate.low AS valid_low, m.rate.high AS valid_high, m.rate.valid - m.valid_before AS gain, m.rate.optimal AS optimal,
  m.learning_signal, m.worst.failure_class AS failure_class, m.worst.count AS failures, m.worst.counted_in AS failed_in,
  c.completed, r.environment, y.engineer, w.run AS recorded_by, m.run_id
FROM cells AS m
JOIN course AS c ON c.run = m.run AND c.run_id = m.run_id AND c.stage = m.stage
LEFT JOIN log.run_names AS w ON w.run_id = c.recorder
LEFT JOIN log.begun_runs AS r ON r.run_id = m.run_id
LEFT JOIN log.deciders AS y ON y.id = c.decision;
