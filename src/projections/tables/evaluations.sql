-- Evaluations: what was measured of a policy on a suite of tasks, one row a measure. Evaluations of an ablation's arms
-- are included; they have an ablation, an arm and a unit.
--
--   run              the run; of an arm, the run whose history it replays
--   stage            its stage; null for an evaluation outside stages
--   suite            the suite of tasks
--   split            the purpose of the suite: validation suites watch a run, test suites are benchmarks
--   family           the task family; null: all families
--   conditions       what else identifies the cell of the suite, as JSON; null where the row is not of a single cell
--   measure          what was measured: valid, optimal, cost
--   value            the value; null where there is none
--   value_reason     why there is no value
--   count            number of rollouts that had it, where it was counted
--   out_of           number of rollouts counted
--   low              the lower end of its interval; where a count has no recorded interval, Wilson's 95 % interval
--   high             the upper end
--   counts           whether it is the last evaluation of its stage on that suite, which replaces earlier ones
--   rollouts         number of rollouts, in the cell or in all
--   policy           the policy
--   checkpoint       its checkpoint; null where it is not trained
--   samples          rollouts per task
--   suite_digest     equal digests are the same tasks
--   interval_method  the method of low and high, where the event says so
--   interval_level   their confidence level
--   ablation         the ablation; null for events of a run
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

CREATE VIEW log.all_evaluations AS
SELECT
  n.run, e.* EXCLUDE (of_arm), a.ablation, a.arm, a.unit, a.arm_run,
  e.revision = max(e.revision) OVER (
    PARTITION BY n.run, e.run_id, e.stage, a.ablation, a.arm, a.unit, e.split, e.suite,
      -- Outside stages, an evaluation replaces another only if it is of the same policy.
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
