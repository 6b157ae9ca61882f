-- Training curves: what the trainer reported during training, one row for each figure of each point. Only of trainings
-- that count.
--
--   run            the run; of an arm, the run whose history it replays
--   stage          its stage
--   training_step  the update of the trainer
--   agent_steps    agent steps up to this point
--   spent          what was spent up to this point, by unit
--   measure        the name of the figure: reward, valid, entropy, kl
--   family         the task family, where the trainer reports it as measure/family; null: all families
--   value          the figure; null where there is none
--   value_reason   why there is no value
--   ablation       the ablation; null for events of a run
--   arm            its arm
--   unit           the unit of analysis
--   training       the training: training.id
--   run_id         the identity of the run

-- filled from decisions
CREATE TABLE log.training_curve (
  owner VARCHAR,
  stage BIGINT,
  training_step BIGINT,
  agent_steps BIGINT,
  spent MAP(VARCHAR, DOUBLE),
  measure VARCHAR,
  family VARCHAR,
  value DOUBLE,
  value_reason VARCHAR,
  ablation VARCHAR,
  arm VARCHAR,
  unit VARCHAR,
  training UUID,
  run_id VARCHAR
);

CREATE VIEW training_curve AS
SELECT n.run, c.* EXCLUDE (owner)
FROM log.training_curve AS c
LEFT JOIN log.run_names AS n ON n.run_id = c.run_id;
