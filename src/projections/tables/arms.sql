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

-- Of an arm with several errors the first counts. What has no error of its own may be named at the end all the same.
CREATE VIEW log.errored_arms AS
WITH
named AS (
  SELECT ablation, one.arm, one.reason AS error, 9223372036854775807 AS revision
  FROM (SELECT ablation, unnest(unfinished) AS one FROM log.ended_ablations)
  UNION ALL
  SELECT ablation, arm, error, revision FROM log.all_arm_errors WHERE counts
)
SELECT ablation, arm, arg_min(error, revision) AS error FROM named GROUP BY ablation, arm;

CREATE VIEW arms AS
SELECT
  a.ablation, a.arm.name AS arm, a.arm.engineer, a.arm.model, coalesce(a.arm.context_form, array_to_string(a.arm.modules, '+')) AS context_form,
  a.arm.modules, a.arm.without, a.arm.not_applicable, coalesce(a.arm.baseline, false) AS baseline, a.arm.reads,
  a.arm.checkpoint AS engineer_checkpoint, e.arm IS NOT NULL AS errored,
  e.error, a.position, coalesce(b.name, a.ablation) AS ablation_name
FROM log.arms AS a
JOIN log.begun_ablations AS b USING (ablation, revision)
LEFT JOIN log.errored_arms AS e ON e.ablation = a.ablation AND e.arm = a.arm.name;
