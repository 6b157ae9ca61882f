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

CREATE TABLE log.arm_errors (
  id UUID,
  ablation VARCHAR,
  revision BIGINT,
  happened_at TIMESTAMP,
  run_id VARCHAR,
  stage BIGINT,
  arm VARCHAR,
  unit VARCHAR,
  during VARCHAR,
  kind VARCHAR,
  error VARCHAR,
  resumable BOOLEAN
);

-- fill from ArmErrored
INSERT INTO log.arm_errors
SELECT
  id, substr(stream, length('ablation-') + 1), revision, happened_at, run_id, stage, data.arm, data.unit, data.during,
  data.error.kind, data.error.message, data.resumable
FROM batch;

-- What arms did: decided on the configuration of a stage, trained and evaluated on it. It makes an error before it good.
CREATE TABLE log.arm_progress (
  ablation VARCHAR,
  revision BIGINT,
  arm VARCHAR,
  unit VARCHAR,
  stage BIGINT,
  decided BOOLEAN
);

-- fill from ArmProposed, ArmRejected
INSERT INTO log.arm_progress
SELECT substr(stream, length('ablation-') + 1), revision, data.arm, data.unit, stage, true FROM batch;

-- fill from ArmTrained, ArmEvaluated
INSERT INTO log.arm_progress
SELECT substr(stream, length('ablation-') + 1), revision, data.arm, data.unit, stage, false FROM batch;

CREATE VIEW log.all_arm_errors AS
WITH
made_good AS (
  SELECT DISTINCT e.id
  FROM log.arm_errors AS e
  JOIN log.arm_progress AS p
    ON p.ablation = e.ablation AND p.arm = e.arm AND p.unit IS NOT DISTINCT FROM e.unit AND p.stage = e.stage
      AND p.revision > e.revision
  WHERE e.during = 'run' OR p.decided = (e.during = 'propose')
)
SELECT
  e.*,
  g.id IS NULL
    AND e.revision = max(e.revision) OVER (PARTITION BY e.ablation, e.arm, e.unit, e.stage) AS counts
FROM log.arm_errors AS e
LEFT JOIN made_good AS g ON g.id = e.id;

CREATE VIEW arm_errors AS
SELECT
  e.ablation, e.arm, e.unit, n.run, e.stage, e.during, e.kind, e.error, e.counts, e.resumable, b.name AS ablation_name,
  e.happened_at, e.id, e.run_id
FROM log.all_arm_errors AS e
LEFT JOIN log.ablation_names AS b USING (ablation)
LEFT JOIN log.run_names AS n ON n.run_id = e.run_id;
