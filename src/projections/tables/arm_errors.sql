-- Errors of arms: what kept an arm of an ablation from deciding, or from what was to come of its decision, a row each error. An
-- error that was made good since does not count; an arm with one that counts is errored, and is in no result and no contrast.
--
--   ablation       the ablation
--   arm            its arm
--   unit           the unit of analysis
--   run            the run whose history is replayed
--   stage          the stage that the arm configures
--   during         what the arm was doing: propose, train, evaluate, run
--   kind           crashed, timeout, unavailable, or another kind of error
--   error          what happened
--   counts         whether it still holds: the last error there, and the same was not done since
--   resumable      whether the same command tries again
--   ablation_name  what people call the ablation
--   happened_at    when it was recorded (UTC)
--   id             the event
--   run_id         the identity of the run

-- filled from decisions
CREATE TABLE log.arm_errors (
  owner VARCHAR,
  ablation VARCHAR,
  arm VARCHAR,
  unit VARCHAR,
  stage BIGINT,
  during VARCHAR,
  kind VARCHAR,
  error VARCHAR,
  counts BOOLEAN,
  resumable BOOLEAN,
  happened_at TIMESTAMP,
  id UUID,
  run_id VARCHAR
);

CREATE VIEW arm_errors AS
SELECT
  e.ablation, e.arm, e.unit, n.run, e.stage, e.during, e.kind, e.error, e.counts, e.resumable, b.name AS ablation_name,
  e.happened_at, e.id, e.run_id
FROM log.arm_errors AS e
LEFT JOIN log.ablations AS b USING (ablation)
LEFT JOIN log.run_names AS n ON n.run_id = e.run_id;
