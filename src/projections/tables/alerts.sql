-- Alerts: what a person should look at. An alert that several events of a stage raise has one row, with the values of
-- the last of them.

-- filled from decisions, shown with run: the run
CREATE TABLE log.alerts (
  owner VARCHAR,
  stage BIGINT,          -- the stage it is about; null for none
  kind VARCHAR,          -- signal-collapse: hardly anything is left to learn from; forgetting: the policy loses what it
                         -- had mastered
  family VARCHAR,        -- the task family; null: all families
  measure VARCHAR,       -- the measure that raised it
  before_value DOUBLE,   -- the measure before
  now_value DOUBLE,      -- the measure now
  message VARCHAR,       -- the alert in words
  raised_in VARCHAR[],   -- the types of the events that raise it
  ablation VARCHAR,      -- the ablation; null for events of a run
  arm VARCHAR,           -- its arm
  unit VARCHAR,          -- the unit of analysis
  happened_at TIMESTAMP, -- when it was first raised (UTC)
  id UUID,               -- the last event that raises it
  run_id VARCHAR         -- the identity of the run
);
