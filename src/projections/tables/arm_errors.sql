-- Errors of arms: what prevented an arm of an ablation from deciding, training or evaluating, one row per error. An
-- error that was resolved since does not count; an arm with one that counts is errored and in no result or contrast.

-- filled from decisions
CREATE TABLE log.arm_errors (
  owner VARCHAR,
  ablation VARCHAR,      -- the ablation
  arm VARCHAR,           -- its arm
  unit VARCHAR,          -- the unit of analysis
  stage BIGINT,          -- the stage that the arm configures
  during VARCHAR,        -- what the arm was doing: propose, train, evaluate, run
  kind VARCHAR,          -- crashed, timeout, unavailable, or another kind of error
  error VARCHAR,         -- what happened
  counts BOOLEAN,        -- whether it still holds: the last error there, and the same was not done since
  resumable BOOLEAN,     -- whether the same command tries again
  happened_at TIMESTAMP, -- when it was recorded (UTC)
  id UUID,               -- the event
  run_id VARCHAR         -- the identity of the run
);

CREATE VIEW arm_errors AS
SELECT
  e.ablation, e.arm, e.unit,
  n.run,                   -- the run whose history is replayed
  e.stage, e.during, e.kind, e.error, e.counts, e.resumable,
  b.name AS ablation_name, -- the name of the ablation
  e.happened_at, e.id, e.run_id
FROM log.arm_errors AS e
LEFT JOIN log.ablations AS b USING (ablation)
LEFT JOIN log.run_names AS n ON n.run_id = e.run_id;
