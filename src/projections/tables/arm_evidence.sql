-- Evidence of arms: the rollouts behind the trainings and evaluations of an ablation's arms, one row per range of a stream.
-- Arms that decided the same share them. Joined with rollouts, arms can be compared task by task.

-- filled from decisions
CREATE TABLE log.arm_evidence (
  owner VARCHAR,
  ablation VARCHAR,      -- the ablation
  arm VARCHAR,           -- its arm
  unit VARCHAR,          -- the unit of analysis: arms are paired within it
  stage BIGINT,          -- the stage that was trained
  suite VARCHAR,         -- the suite that was evaluated; null: training
  stream VARCHAR,        -- the stream of the rollouts, as in rollouts
  first_revision BIGINT, -- the first of them in the stream
  last_revision BIGINT,  -- the last
  id UUID                -- the event based on them: a row of training or evaluations
);

CREATE VIEW arm_evidence AS
SELECT
  e.* EXCLUDE (owner, id),
  b.name AS ablation_name, -- the name of the ablation
  e.id
FROM log.arm_evidence AS e
LEFT JOIN log.ablations AS b USING (ablation);
