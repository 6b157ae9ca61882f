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

-- filled from decisions
CREATE TABLE log.arm_evidence (
  owner VARCHAR,
  ablation VARCHAR,
  arm VARCHAR,
  unit VARCHAR,
  stage BIGINT,
  suite VARCHAR,
  stream VARCHAR,
  first_revision BIGINT,
  last_revision BIGINT,
  id UUID
);

CREATE VIEW arm_evidence AS
SELECT e.* EXCLUDE (owner, id), b.name AS ablation_name, e.id
FROM log.arm_evidence AS e
LEFT JOIN log.ablations AS b USING (ablation);
