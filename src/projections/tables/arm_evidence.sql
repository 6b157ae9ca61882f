-- Evidence of arms: which rollouts the trainings and evaluations of an ablation's arms rest on, a row each range of a stream.
-- Arms that decided the same share them. Joined with rollouts, arms can be compared task by task.
--
--   ablation        the ablation
--   arm             its arm
--   unit            the unit of analysis: arms are paired within it
--   stage           the stage that was trained
--   suite           the suite that was evaluated; null: training
--   stream          the stream of the rollouts, as in rollouts
--   first_revision  the first of them in the stream
--   last_revision   the last
--   ablation_name   what people call the ablation
--   id              the event that rests on them: a row of training or evaluations

CREATE TABLE log.arm_evidence (
  id UUID,
  ablation VARCHAR,
  arm VARCHAR,
  unit VARCHAR,
  stage BIGINT,
  suite VARCHAR,
  stream VARCHAR,
  first_revision BIGINT,
  last_revision BIGINT
);

-- fill from ArmTrained
INSERT INTO log.arm_evidence
SELECT id, ablation, arm, unit, stage, NULL, cause.stream, cause."from", cause."to"
FROM (
  SELECT
    id, substr(stream, length('ablation-') + 1) AS ablation, data.arm AS arm, data.unit AS unit, stage,
    unnest(from_json(causes, '[{"stream": "VARCHAR", "from": "BIGINT", "to": "BIGINT"}]')) AS cause
  FROM batch
)
WHERE cause.stream IS NOT NULL;

-- fill from ArmEvaluated
INSERT INTO log.arm_evidence
SELECT id, ablation, arm, unit, stage, suite, cause.stream, cause."from", cause."to"
FROM (
  SELECT
    id, substr(stream, length('ablation-') + 1) AS ablation, data.arm AS arm, data.unit AS unit, stage,
    data.suite.name AS suite,
    unnest(from_json(causes, '[{"stream": "VARCHAR", "from": "BIGINT", "to": "BIGINT"}]')) AS cause
  FROM batch
)
WHERE cause.stream IS NOT NULL;

CREATE VIEW arm_evidence AS
SELECT
  e.ablation, e.arm, e.unit, e.stage, e.suite, e.stream, e.first_revision, e.last_revision, b.name AS ablation_name, e.id
FROM log.arm_evidence AS e
LEFT JOIN log.ablation_names AS b USING (ablation);
