-- Evaluations: what was measured of a policy on a suite of tasks, a row each quantity. Those of an ablation's arms are
-- there, too: they have an ablation, an arm and a unit.
--
--   run              the run; of an arm, the run whose history it replays
--   stage            its stage; null for an evaluation that belongs to none
--   suite            the suite of tasks
--   split            what the suite is for: validation suites watch a run, test suites are benchmarks
--   family       the set of knobs its tasks belong to; null: all of them
--   conditions       what else tells the cell of the suite apart, as JSON; null where the row is of no single cell
--   measure          what was measured: valid, optimal, cost
--   value            the quantity; null where there is none
--   value_reason     why there is none
--   count            how many tries had it, where it was counted
--   out_of           out of how many
--   low              the lower end of its interval; of what was counted and has not both, Wilson's of 95 %
--   high             the upper end
--   counts           whether it is the last evaluation of its stage on that suite: one that was made again replaces it
--   rollouts         how many tries there were, in the cell or in all
--   policy           the policy
--   checkpoint       its snapshot; null where it is not trained
--   samples          tries per task
--   suite_digest     equal digests are the same tasks
--   interval_method  what low and high are, where the event says so
--   interval_level   their confidence
--   ablation         the ablation; null where it is of a run
--   arm              its arm
--   unit             the unit of analysis: arms are paired within it
--   arm_run          the run the arm goes on as
--   happened_at      when it was made (UTC)
--   id               the event
--   run_id           the identity of the run

CREATE TABLE log.evaluation_heads (
  id UUID,
  revision BIGINT,
  happened_at TIMESTAMP,
  run_id VARCHAR,
  stage BIGINT,
  suite VARCHAR,
  suite_digest VARCHAR,
  split VARCHAR,
  policy VARCHAR,
  checkpoint VARCHAR,
  samples BIGINT,
  interval_method VARCHAR,
  interval_level DOUBLE,
  of_arm BOOLEAN
);

-- fill from EvaluationRecorded, ArmEvaluated
INSERT INTO log.evaluation_heads
SELECT
  id, revision, happened_at, run_id, stage, data.suite.name, data.suite.digest, data.split, data.policy.name,
  coalesce(data.checkpoint.digest, data.checkpoint.reference), data.samples, data.interval.method, data.interval.level,
  type = 'ArmEvaluated'
FROM batch;

CREATE TABLE log.measurements (
  id UUID,
  rollouts BIGINT,
  family VARCHAR,
  conditions JSON,
  measure VARCHAR,
  value DOUBLE,
  value_reason VARCHAR,
  count BIGINT,
  out_of BIGINT,
  low DOUBLE,
  high DOUBLE
);

-- fill from EvaluationRecorded, ArmEvaluated
INSERT INTO log.measurements
SELECT
  id, rollouts, result.family, NULL, result.measure, try_cast(result.value AS DOUBLE), result.value ->> '$.reason',
  result.count, result.of, result.low, result.high
FROM (SELECT id, data.rollouts, unnest(data.results) AS result FROM batch);

-- fill from EvaluationRecorded, ArmEvaluated
INSERT INTO log.measurements
SELECT
  id, cell.rollouts, cell.family, coalesce(cell.conditions, '{}'), result.measure, try_cast(result.value AS DOUBLE),
  result.value ->> '$.reason', result.count, result.of, result.low, result.high
FROM (SELECT id, cell, unnest(cell.results) AS result FROM (SELECT id, unnest(data.cells) AS cell FROM batch));

-- How often families succeeded in validations, as it is asked for most: a row a family of which anything was measured, and with
-- family null one over all families. Where nobody reckoned that one and each family says how many it counted, it is what they
-- add up to.
CREATE TABLE log.rates (
  id UUID,
  family VARCHAR,
  valid DOUBLE,
  count BIGINT,
  out_of BIGINT,
  low DOUBLE,
  high DOUBLE,
  optimal DOUBLE
);

-- fill from EvaluationRecorded
INSERT INTO log.rates
WITH
told AS (
  SELECT
    id, result.family AS family, result.measure AS measure, try_cast(result.value AS DOUBLE) AS value,
    result.count AS count, result.of AS out_of, result.low AS low, result.high AS high
  FROM (SELECT id, unnest(data.results) AS result FROM batch WHERE data.split = 'validation')
),
pooled AS (
  SELECT
    id, NULL AS family, measure, sum(count) / sum(out_of) AS value, try_cast(sum(count) AS BIGINT) AS count,
    try_cast(sum(out_of) AS BIGINT) AS out_of, NULL AS low, NULL AS high
  FROM told GROUP BY id, measure
  HAVING count(*) = count(family) AND count(*) = count(count) AND count(*) = count(out_of) AND sum(out_of) > 0
)
SELECT
  id, family,
  any_value(value) FILTER (measure = 'valid'), any_value(count) FILTER (measure = 'valid'),
  any_value(out_of) FILTER (measure = 'valid'), any_value(low) FILTER (measure = 'valid'),
  any_value(high) FILTER (measure = 'valid'), any_value(value) FILTER (measure = 'optimal')
FROM (FROM told UNION ALL FROM pooled)
GROUP BY id, family;

CREATE VIEW log.rated AS
SELECT
  id, family, valid, optimal,
  CASE WHEN low IS NULL OR high IS NULL THEN wilson_low(count, out_of) ELSE low END AS valid_low,
  CASE WHEN low IS NULL OR high IS NULL THEN wilson_high(count, out_of) ELSE high END AS valid_high
FROM log.rates;

CREATE VIEW log.all_evaluations AS
SELECT
  n.run, e.* EXCLUDE (of_arm), a.ablation, a.arm, a.unit, a.arm_run,
  e.revision = max(e.revision) OVER (
    PARTITION BY n.run, e.run_id, e.stage, a.ablation, a.arm, a.unit, e.split, e.suite,
      -- Outside of stages nothing says that one takes the place of another but that it is of the same policy.
      CASE WHEN e.stage IS NULL THEN {'policy': e.policy, 'checkpoint': e.checkpoint} END
  ) AS counts
FROM log.evaluation_heads AS e
LEFT JOIN log.arm_events AS a ON a.id = e.id
LEFT JOIN log.run_names AS n ON n.run_id = e.run_id;

CREATE VIEW log.evaluations AS
SELECT e.*, m.* EXCLUDE (id) FROM log.measurements AS m JOIN log.all_evaluations AS e ON e.id = m.id;

CREATE VIEW evaluations AS
SELECT
  e.run, e.stage, e.suite, e.split, e.family, e.conditions, e.measure, e.value, e.value_reason, e.count, e.out_of,
  CASE WHEN e.low IS NULL OR e.high IS NULL THEN coalesce(wilson_low(e.count, e.out_of), e.low) ELSE e.low END AS low,
  CASE WHEN e.low IS NULL OR e.high IS NULL THEN coalesce(wilson_high(e.count, e.out_of), e.high) ELSE e.high END AS high,
  e.counts, e.rollouts, e.policy, e.checkpoint, e.samples, e.suite_digest, e.interval_method, e.interval_level,
  e.ablation, e.arm, e.unit, e.arm_run, e.happened_at, e.id, e.run_id
FROM log.evaluations AS e;
