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

-- filled from decisions
CREATE TABLE log.evaluations (
  owner VARCHAR,
  stage BIGINT,
  suite VARCHAR,
  split VARCHAR,
  family VARCHAR,
  conditions JSON,
  measure VARCHAR,
  value DOUBLE,
  value_reason VARCHAR,
  count BIGINT,
  out_of BIGINT,
  low DOUBLE,
  high DOUBLE,
  counts BOOLEAN,
  rollouts BIGINT,
  policy VARCHAR,
  checkpoint VARCHAR,
  samples BIGINT,
  suite_digest VARCHAR,
  interval_method VARCHAR,
  interval_level DOUBLE,
  ablation VARCHAR,
  arm VARCHAR,
  unit VARCHAR,
  arm_run VARCHAR,
  happened_at TIMESTAMP,
  id UUID,
  run_id VARCHAR
);

CREATE VIEW evaluations AS
SELECT n.run, e.* EXCLUDE (owner)
FROM log.evaluations AS e
LEFT JOIN log.run_names AS n ON n.run_id = e.run_id;
