-- The curriculum: what each family was set to, stage by stage, and what came of it. Of a fork it shows the whole history, with
-- who recorded it. The row without a family is about all families together, and has the knobs that concern all.
--
--   run            the run
--   stage          the stage
--   family     the family; null: all of them
--   place          its place among the families, the easiest first where there is an order
--   share          its share of the training data, where some knobs are shares of one whole
--   knobs          what its knobs were set to, by what they are called in it: knobs['hole']
--   changed        which of them were turned for this stage
--   valid_before   how often it succeeded in the validation of the stage before
--   valid          how often it succeeded in the validation of this stage
--   valid_low      the lower end of its 95 % interval
--   valid_high     the upper end
--   gain           valid less valid_before
--   optimal        the share of tries that were the best there is
--   signal         the share of sample of samples whose rewards differed: what there was to learn from
--   failure_class  the way it failed most often
--   failures       how often it failed that way
--   failed_in      what that was counted in: splits of the evidence, or the validation suite
--   completed      whether the stage is over
--   environment    the environment
--   engineer       who decided on the configuration: the engineer that was asked, or the person
--   recorded_by    the run that recorded the stage
--   run_id         the identity of the run

CREATE VIEW curriculum AS
WITH
-- Nothing is joined with the whole of what is stored: only what is asked about is looked for there.
course AS (FROM log.course),
turning AS (
  SELECT
    c.run, c.run_id, c.stage, c.described_by, s.knobs, k.shares, k.families,
    turned_knobs(s.knobs, b.knobs, d.changes, k.known) AS turned,
    list_filter(s.knobs, lambda one: one.family IS NOT NULL) AS grouped
  FROM course AS c
  LEFT JOIN (
    SELECT c.run, c.run_id, c.stage, s.knobs FROM course AS c JOIN log.configurations AS s ON s.id = c.configuration
  ) AS s ON s.run = c.run AND s.run_id = c.run_id AND s.stage = c.stage
  LEFT JOIN (
    SELECT c.run, c.run_id, c.stage, b.knobs FROM course AS c JOIN log.configurations AS b ON b.id = c.configuration
  ) AS b ON b.run = c.run AND b.run_id = c.run_id AND b.stage = c.stage - 1
  LEFT JOIN (
    SELECT c.run, c.run_id, c.stage, d.* EXCLUDE (run_id) FROM course AS c JOIN log.adoptions AS d ON d.id = c.decision
  ) AS d ON d.run = c.run AND d.run_id = c.run_id AND d.stage = c.stage
  LEFT JOIN (
    SELECT c.run, c.run_id, k.*
    FROM (SELECT DISTINCT run, run_id, described_by, described_at FROM course) AS c
    JOIN log.describing AS k ON k.described_by = c.described_by AND k.described_at = c.described_at
  ) AS k ON k.run = c.run AND k.run_id = c.run_id
),
-- How training data are shared out: by the knobs that the descriptor says are shares of one whole, one a family. The first of
-- the wholes of which there is more than one share counts; knobs that happen to come to one are no shares.
wholes AS (
  SELECT
    * EXCLUDE (grouped, shares),
    list_filter(
      list_transform(shares, lambda share: list_filter(grouped, lambda one: list_contains(share.knobs, one.knob))),
      lambda several: len(several) > 1
    )[1] AS whole
  FROM turning
),
shared AS (
  SELECT
    * EXCLUDE (whole, total),
    CASE WHEN total > 0 AND len(whole) = len(list_distinct(list_transform(whole, lambda one: one.family))) THEN
      list_transform(whole, lambda one: {'family': one.family, 'share': one."value" / total})
    END AS parts
  FROM (SELECT *, list_sum(list_transform(whole, lambda one: one."value")) AS total FROM wholes)
),
-- Also of families that are described and have no knobs, and of those that lost their last.
settings AS (
  SELECT
    run, run_id, stage, cell.family AS family, len(own) > 0 AS met,
    list_position(families, cell.family)::BIGINT AS place,
    map_from_entries(list_filter(
      own, lambda one, place: list_position(list_transform(own, lambda other: other.key), one.key) = place
    )) AS knobs,
    list_transform(
      list_filter(turned, lambda one: one.family IS NOT DISTINCT FROM cell.family),
      lambda one: knob_word(one.knob, cell.family)
    ) AS changed,
    list_filter(parts, lambda one: one.family = cell.family)[1].share AS share
  FROM (
    SELECT
      *, list_transform(
        list_filter(knobs, lambda one: one.family IS NOT DISTINCT FROM cell.family),
        lambda one: {'key': knob_word(one.knob, cell.family), 'value': one."value"}
      ) AS own
    FROM (
      SELECT
        run, run_id, stage, knobs, turned, parts, families,
        unnest(list_distinct(list_concat(
          list_transform(knobs, lambda one: {'family': one.family}),
          list_transform(turned, lambda one: {'family': one.family}),
          list_transform(families, lambda one: {'family': one})
        ))) AS cell
      FROM shared
    )
  )
),
-- What the validation of a stage came to is what the next one begins with.
told AS (
  SELECT run, run_id, stage, NULL AS family, true AS met FROM course WHERE recorder IS NOT NULL
  UNION ALL BY NAME
  SELECT run, run_id, stage, family, met, place, knobs, changed, share FROM settings
  UNION ALL BY NAME
  SELECT
    c.run, c.run_id, c.stage, r.family, true AS met,
    {'valid': r.valid, 'low': r.valid_low, 'high': r.valid_high, 'optimal': r.optimal} AS rate
  FROM course AS c JOIN log.rated AS r ON r.id = c.validation
  UNION ALL BY NAME
  SELECT c.run, c.run_id, c.stage + 1 AS stage, r.family, false AS met, r.valid AS valid_before
  FROM course AS c JOIN log.rated AS r ON r.id = c.validation
  UNION ALL BY NAME
  SELECT c.run, c.run_id, c.stage, s.family, true AS met, s.share AS signal
  FROM course AS c JOIN log.training_signal AS s ON s.id = c.training
  WHERE s.families IS NOT NULL OR s.pooled
  UNION ALL BY NAME
  SELECT
    c.run, c.run_id, c.stage, f.family, false AS met,
    {'failure_class': f.failure_class, 'count': f.count, 'counted_in': f.counted_in} AS worst
  FROM course AS c JOIN log.worst_failures AS f ON f.id = coalesce(c.failures, c.validation)
),
cells AS (
  SELECT
    run, run_id, stage, family, any_value(place) AS place, any_value(knobs) AS knobs, any_value(changed) AS changed,
    any_value(share) AS share, any_value(rate) AS rate, any_value(valid_before) AS valid_before, any_value(signal) AS signal, any_value(worst) AS worst
  FROM told GROUP BY run, run_id, stage, family HAVING bool_or(met)
)
SELECT
  m.run, m.stage, m.family, m.place, m.share,
  coalesce(m.knobs, MAP {}) AS knobs, coalesce(m.changed, []) AS changed, m.valid_before, m.rate.valid AS valid,
  m.rate.low AS valid_low, m.rate.high AS valid_high, m.rate.valid - m.valid_before AS gain, m.rate.optimal AS optimal,
  m.signal, m.worst.failure_class AS failure_class, m.worst.count AS failures, m.worst.counted_in AS failed_in,
  c.completed, r.environment, y.engineer, w.run AS recorded_by, m.run_id
FROM cells AS m
JOIN course AS c ON c.run = m.run AND c.run_id = m.run_id AND c.stage = m.stage
LEFT JOIN log.run_names AS w ON w.run_id = c.recorder
LEFT JOIN log.begun_runs AS r ON r.run_id = m.run_id
LEFT JOIN log.deciders AS y ON y.id = c.decision;
