-- Arms: the ways to decide that an ablation compares.
--
--   ablation             the ablation
--   arm                  what the arm is called
--   engineer             who decides
--   model                the model it asks
--   form                 the form it is shown: a preset, or its modules
--   modules              the modules, in order; null: its engineer is blind to context
--   without              modules or items left out on purpose
--   not_applicable       modules that its engineer cannot use
--   baseline             whether it is there to be compared with
--   reads                the modules its engineer can use
--   engineer_checkpoint  the snapshot its engineer asks
--   place                its place among the arms, from 1
--   ablation_name        what people call the ablation

CREATE TABLE log.arms (
  ablation VARCHAR,
  revision BIGINT,
  place BIGINT,
  arm STRUCT(
    name VARCHAR, engineer VARCHAR, model VARCHAR, checkpoint VARCHAR, reads VARCHAR[], form VARCHAR,
    modules VARCHAR[], without VARCHAR[], baseline BOOLEAN, not_applicable VARCHAR[]
  )
);

-- fill from AblationStarted
INSERT INTO log.arms
SELECT
  substr(stream, length('ablation-') + 1), revision, place, {
    'name': arm.arm, 'engineer': arm.engineer.name, 'model': arm.engineer.model,
    'checkpoint': coalesce(arm.engineer.checkpoint.digest, arm.engineer.checkpoint.reference),
    'reads': arm.engineer.reads, 'form': arm.form.name, 'modules': arm.form.modules, 'without': arm.without,
    'baseline': arm.baseline, 'not_applicable': arm.notApplicable
  }
FROM (SELECT *, unnest(data.arms) AS arm, generate_subscripts(data.arms, 1) AS place FROM batch);

-- What an arm did is recorded in the shape in which runs record it; which arm it was stands here, by the event.
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
  ablation, arm.name AS arm, arm.engineer, arm.model, coalesce(arm.form, array_to_string(arm.modules, '+')) AS form, arm.modules, arm.without, arm.not_applicable,
  coalesce(arm.baseline, false) AS baseline, arm.reads, arm.checkpoint AS engineer_checkpoint, place,
  coalesce(b.name, ablation) AS ablation_name
FROM log.arms
JOIN log.begun_ablations AS b USING (ablation, revision);
