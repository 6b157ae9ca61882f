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
--   errored              whether an error kept it from its end: it is in no result and no contrast
--   error                what happened; null where it is not errored
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

-- Of an arm with several errors the first counts. What has no error of its own may be named at the end all the same.
CREATE VIEW log.errored_arms AS
WITH
named AS (
  SELECT ablation, one.arm, one.why AS error, 9223372036854775807 AS revision
  FROM (SELECT ablation, unnest(unfinished) AS one FROM log.ended_ablations)
  UNION ALL
  SELECT ablation, arm, error, revision FROM log.all_arm_errors WHERE counts
)
SELECT ablation, arm, arg_min(error, revision) AS error FROM named GROUP BY ablation, arm;

CREATE VIEW arms AS
SELECT
  a.ablation, a.arm.name AS arm, a.arm.engineer, a.arm.model, coalesce(a.arm.form, array_to_string(a.arm.modules, '+')) AS form,
  a.arm.modules, a.arm.without, a.arm.not_applicable, coalesce(a.arm.baseline, false) AS baseline, a.arm.reads,
  a.arm.checkpoint AS engineer_checkpoint, e.arm IS NOT NULL AS errored,
  e.error, a.place, coalesce(b.name, a.ablation) AS ablation_name
FROM log.arms AS a
JOIN log.begun_ablations AS b USING (ablation, revision)
LEFT JOIN log.errored_arms AS e ON e.ablation = a.ablation AND e.arm = a.arm.name;
