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

-- filled from decisions
CREATE TABLE log.alerts (
  owner VARCHAR,
  stage BIGINT,
  kind VARCHAR,
  family VARCHAR,
  measure VARCHAR,
  before_value DOUBLE,
  now_value DOUBLE,
  message VARCHAR,
  raised_in VARCHAR[],
  ablation VARCHAR,
  arm VARCHAR,
  unit VARCHAR,
  happened_at TIMESTAMP,
  id UUID,
  run_id VARCHAR
);

CREATE VIEW alerts AS
SELECT n.run, a.* EXCLUDE (owner)
FROM log.alerts AS a
LEFT JOIN log.run_names AS n ON n.run_id = a.run_id;
