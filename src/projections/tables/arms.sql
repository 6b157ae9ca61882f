-- Arms: the combinations of engineer and context form that an ablation compares.
--
--   ablation            the ablation
--   arm                 the name of the arm
--   engineer            the engineer that decides
--   model               the model it asks
--   context_form        the context form it is shown: a preset, or its modules
--   modules             the context modules, in order; null: its engineer is blind to context
--   without             modules or items left out on purpose
--   not_applicable      modules that its engineer cannot use
--   baseline            whether it is a baseline
--   reads               the modules its engineer can use
--   engineer_checkpoint  the checkpoint its engineer asks
--   errored             whether an error kept it from its end: it is in no result and no contrast
--   error               the error; null where there is none
--   position            its position among the arms, from 1
--   ablation_name       the name of the ablation

-- filled from decisions
CREATE TABLE log.arms (
  owner VARCHAR,
  ablation VARCHAR,
  arm VARCHAR,
  engineer VARCHAR,
  model VARCHAR,
  context_form VARCHAR,
  modules VARCHAR[],
  without VARCHAR[],
  not_applicable VARCHAR[],
  baseline BOOLEAN,
  reads VARCHAR[],
  engineer_checkpoint VARCHAR,
  errored BOOLEAN,
  error VARCHAR,
  position BIGINT
);

CREATE VIEW arms AS
SELECT a.* EXCLUDE (owner), b.name AS ablation_name
FROM log.arms AS a
LEFT JOIN log.ablations AS b USING (ablation);
