-- Training curves: what the trainer told on its way, a row each figure of each point. Only of trainings that count.
--
--   run           the run; of an arm, the run whose history it replays
--   stage         its stage
--   step          the update of the trainer
--   decisions     decisions taken up to there
--   spent         what was spent up to there, by unit
--   measure       what the figure is of: reward, valid, entropy, kl
--   family    the set of knobs it is of, where the trainer tells it of one as measure/family; null: of all
--   value         the figure; null where there is none
--   value_reason  why there is none
--   ablation      the ablation; null where it is of a run
--   arm           its arm
--   unit          the unit of analysis
--   training      the training: training.id
--   run_id        the identity of the run

CREATE TABLE log.training_points (
  id UUID,
  step BIGINT,
  spent MAP(VARCHAR, DOUBLE),
  figures MAP(VARCHAR, DOUBLE),
  reasons MAP(VARCHAR, STRUCT(reason VARCHAR)),
  families VARCHAR[]
);

-- fill from TrainingRecorded, ArmTrained
INSERT INTO log.training_points
SELECT
  id, point.step, from_json(point.spent, '"MAP(VARCHAR, DOUBLE)"'), from_json(point.values, '"MAP(VARCHAR, DOUBLE)"'),
  CASE WHEN contains(point.values::VARCHAR, '"reason"') THEN
    from_json(point.values, '"MAP(VARCHAR, STRUCT(reason VARCHAR))"')
  END,
  families
FROM (
  SELECT
    id, unnest(data.curve) AS point,
    list_distinct(list_concat(
      list_transform(data.signal, lambda one: one.family), list_transform(data.sampled, lambda one: one.family)
    )) AS families
  FROM batch
);

CREATE VIEW training_curve AS
SELECT
  p.run, p.stage, p.step, try_cast(p.spent['agentSteps'] AS BIGINT) AS decisions, p.spent,
  CASE WHEN p.of_family IS NULL THEN p.figure.key ELSE left(p.figure.key, -1 - length(p.of_family)) END AS measure,
  p.of_family AS family, p.figure.value, p.reasons[p.figure.key].reason AS value_reason,
  p.ablation, p.arm, p.unit, p.id AS training, p.run_id
FROM (
  -- What stands after the first stroke names a family only if the training knows one of that name.
  SELECT
    *, CASE WHEN list_contains(families, substr(figure.key, nullif(strpos(figure.key, '/'), 0) + 1))
       THEN substr(figure.key, strpos(figure.key, '/') + 1) END AS of_family
  FROM (
    SELECT
      t.run, t.stage, t.run_id, t.ablation, t.arm, t.unit, p.* EXCLUDE (figures), unnest(map_entries(p.figures)) AS figure
    FROM log.training_points AS p
    JOIN log.trainings AS t ON t.id = p.id
    WHERE t.counts
  )
) AS p;
