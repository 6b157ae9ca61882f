-- Arms: the combinations of engineer and context form that an ablation compares.

-- filled from decisions
CREATE TABLE log.arms (
  owner VARCHAR,
  ablation VARCHAR,            -- the ablation
  arm VARCHAR,                 -- the name of the arm
  engineer VARCHAR,            -- the engineer that decides
  model VARCHAR,               -- the model it asks
  context_form VARCHAR,        -- the context form it is shown: a preset, or its modules
  modules VARCHAR[],           -- the context modules, in order; null: its engineer is blind to context
  without VARCHAR[],           -- modules or items left out on purpose
  not_applicable VARCHAR[],    -- modules that its engineer cannot use
  baseline BOOLEAN,            -- whether it is a baseline
  reads VARCHAR[],             -- the modules its engineer can use
  engineer_checkpoint VARCHAR, -- the checkpoint its engineer asks
  errored BOOLEAN,             -- whether an error stopped it: it is in no result or contrast
  error VARCHAR,               -- the error; null where there is none
  position BIGINT              -- its position among the arms, from 1
);

CREATE VIEW arms AS
SELECT
  a.* EXCLUDE (owner),
  b.name AS ablation_name -- the name of the ablation
FROM log.arms AS a
LEFT JOIN log.ablations AS b USING (ablation);
