-- Alerts: what a person should look at. What several events of a stage say stands once, as the last of them says it.
--
--   run           the run
--   stage         its stage; null where it belongs to none
--   kind          signal-collapse: hardly anything is left to learn from; forgetting: what was mastered gets lost
--   family    the set of knobs; null: all of them
--   measure       what it was seen in
--   before_value  what that was before
--   now_value     what it is now
--   says          what it says in words
--   raised_in     the types of the events that say so
--   ablation      the ablation; null where it is of a run
--   arm           its arm
--   unit          the unit of analysis
--   happened_at   when it was raised first (UTC)
--   id            the last event that says so
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
  says VARCHAR
);

-- fill from TrainingRecorded, EvaluationRecorded, SummaryRecorded, StageCompleted, ArmTrained, ArmEvaluated
INSERT INTO log.raised_alerts
SELECT
  id, stream, revision, type, happened_at, run_id, stage, alert.kind, alert.family, alert.measure,
  try_cast(alert.before AS DOUBLE), try_cast(alert.now AS DOUBLE), alert.says
FROM (SELECT *, unnest(data.alerts) AS alert FROM batch);

CREATE VIEW alerts AS
SELECT
  any_value(n.run) AS run, l.stage, l.kind, l.family, l.measure,
  -- Null where the last event gives a reason instead of a number, whatever others gave.
  arg_max_null(l.before_value, l.revision) AS before_value, arg_max_null(l.now_value, l.revision) AS now_value,
  arg_max(l.says, l.revision) AS says, list_sort(list_distinct(list(l.type))) AS raised_in,
  ablation_in(l.stream) AS ablation, a.arm, a.unit, min(l.happened_at) AS happened_at, arg_max(l.id, l.revision) AS id,
  l.run_id
FROM log.raised_alerts AS l
LEFT JOIN log.arm_events AS a ON a.id = l.id
LEFT JOIN log.trainings AS t ON t.id = l.id
LEFT JOIN log.run_names AS n ON n.run_id = l.run_id
WHERE t.counts IS NOT false
GROUP BY l.run_id, l.stream, l.stage, l.kind, l.family, l.measure, a.arm, a.unit;
