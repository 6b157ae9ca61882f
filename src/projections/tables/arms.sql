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
--   position            its position among the arms, from 1
--   ablation_name       the name of the ablation

CREATE TABLE log.arms (
  ablation VARCHAR,
  revision BIGINT,
  position BIGINT,
  arm STRUCT(
    name VARCHAR, engineer VARCHAR, model VARCHAR, checkpoint VARCHAR, reads VARCHAR[], context_form VARCHAR,
    modules VARCHAR[], without VARCHAR[], baseline BOOLEAN, not_applicable VARCHAR[]
  )
);

-- fill from AblationStarted
INSERT INTO log.arms
SELECT
  substr(stream, length('ablation-') + 1), revision, position, {
    'name': arm.arm, 'engineer': arm.engineer.name, 'model': arm.engineer.model,
    'checkpoint': coalesce(arm.engineer.checkpoint.digest, arm.engineer.checkpoint.reference),
    'reads': arm.engineer.reads, 'context_form': arm.contextForm.name, 'modules': arm.contextForm.modules, 'without': arm.without,
    'baseline': arm.baseline, 'not_applicable': arm.notApplicable
  }
FROM (SELECT *, unnest(data.arms) AS arm, generate_subscripts(data.arms, 1) AS position FROM batch);

-- Events of arms have the shape of events of runs. This table has the arm of each event.
CREATE TABLE log.arm_events (
  id UUID,
  ablation VARCHAR,
  arm VARCHAR,
  unit VARCHAR,
  arm_run VARCHAR
);

-- fill from ArmProposed, ArmRejected, ArmErrored, ArmTrained, ArmEvaluated
INSERT INTO log.arm_events
SELECT id, substr(stream, length('ablation-') + 1), data.arm, data.unit, data.armRun FROM batch;

CREATE VIEW arms AS
SELECT
  ablation, arm.name AS arm, arm.engineer, arm.model, coalesce(arm.context_form, array_to_string(arm.modules, '+')) AS context_form, arm.modules, arm.without, arm.not_applicable,
  coalesce(arm.baseline, false) AS baseline, arm.reads, arm.checkpoint AS engineer_checkpoint, position,
  coalesce(b.name, ablation) AS ablation_name
FROM log.arms
JOIN log.begun_ablations AS b USING (ablation, revision);
