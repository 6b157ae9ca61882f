-- Alerts: what a person should look at. An alert that several events of a stage raise has one row, with the values of
-- the last of them.
--
--   run           the run
--   stage         the stage it is about; null for none
--   kind          signal-collapse: hardly anything is left to learn from; forgetting: the policy loses what it had
--                 mastered
--   family        the task family; null: all families
--   measure       the measure that raised it
--   before_value  the measure before
--   now_value     the measure now
--   message       the alert in words
--   raised_in     the types of the events that raise it
--   ablation      the ablation; null for events of a run
--   arm           its arm
--   unit          the unit of analysis
--   happened_at   when it was first raised (UTC)
--   id            the last event that raises it
--   run_id        the identity of the run

CREATE TABLE log.raised_alerts (
  id UUID,
  stream VARCHAR,
  revision BIGINT,
  type VARCHAR,
  happened_at TIMESTAMP,
  run_id VARCHAR,
  stage BIGINT,
  kind VARCHAR,
  family VARCHAR,
  measure VARCHAR,
  before_value DOUBLE,
  now_value DOUBLE,
  message VARCHAR
);

-- fill from TrainingRecorded, EvaluationRecorded, StageCompleted, ArmTrained, ArmEvaluated
INSERT INTO log.raised_alerts
SELECT
  id, stream, revision, type, happened_at, run_id, stage, alert.kind, alert.family, alert.measure,
  try_cast(alert.before AS DOUBLE), try_cast(alert.now AS DOUBLE), alert.message
FROM (SELECT *, unnest(data.alerts) AS alert FROM batch);

-- A summary is made for the next stage, of the one before.
-- fill from SummaryRecorded
INSERT INTO log.raised_alerts
SELECT
  id, stream, revision, type, happened_at, run_id, stage - 1, alert.kind, alert.family, alert.measure,
  try_cast(alert.before AS DOUBLE), try_cast(alert.now AS DOUBLE), alert.message
FROM (SELECT *, unnest(data.alerts) AS alert FROM batch);

CREATE VIEW alerts AS
SELECT
  any_value(n.run) AS run, l.stage, l.kind, l.family, l.measure,
  -- Null where the last event gives a reason instead of a number, whatever others gave.
  arg_max_null(l.before_value, l.revision) AS before_value, arg_max_null(l.now_value, l.revision) AS now_value,
  arg_max(l.message, l.revision) AS message, list_sort(list_distinct(list(l.type))) AS raised_in,
  ablation_in(l.stream) AS ablation, a.arm, a.unit, min(l.happened_at) AS happened_at, arg_max(l.id, l.revision) AS id,
  l.run_id
FROM log.raised_alerts AS l
LEFT JOIN log.arm_events AS a ON a.id = l.id
LEFT JOIN log.trainings AS t ON t.id = l.id
LEFT JOIN log.run_names AS n ON n.run_id = l.run_id
WHERE t.counts IS NOT false
GROUP BY l.run_id, l.stream, l.stage, l.kind, l.family, l.measure, a.arm, a.unit;
