-- Training curves: what the trainer reported during training, one row for each figure of each point. Only of trainings
-- that count.

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
      list_transform(data.learningSignal, lambda one: one.family), list_transform(data.sampled, lambda one: one.family)
    )) AS families
  FROM batch
);

CREATE VIEW training_curve AS
SELECT
  p.run,                   -- the run; of an arm, the run whose history it replays
  p.stage,                 -- its stage
  p.step AS training_step, -- the update of the trainer
  try_cast(p.spent['agent-steps'] AS BIGINT) AS agent_steps, -- agent steps up to this point
  p.spent,                 -- what was spent up to this point, by unit
  CASE WHEN p.of_family IS NULL THEN p.figure.key ELSE left(p.figure.key, -1 - length(p.of_family))
  END AS measure,          -- the name of the figure: reward, valid, entropy, kl
  p.of_family AS family,   -- the task family, where the trainer reports it as measure/family; null: all families
  p.figure.value,          -- the figure; null where there is none
  p.reasons[p.figure.key].reason AS value_reason, -- why there is no value
  p.ablation,              -- the ablation; null for events of a run
  p.arm,                   -- its arm
  p.unit,                  -- the unit of analysis
  p.id AS training,        -- the training: training.id
  p.run_id                 -- the identity of the run
FROM (
  -- The text after the first slash names a family only if the training has a family of that name.
  SELECT
    *, CASE WHEN list_contains(families, substr(figure.key, nullif(strpos(figure.key, '/'), 0) + 1))
       THEN substr(figure.key, strpos(figure.key, '/') + 1) END AS of_family
  FROM (
    SELECT
      n.run, t.stage, t.run_id, t.ablation, t.arm, t.unit, p.* EXCLUDE (figures), unnest(map_entries(p.figures)) AS figure
    FROM log.training_points AS p
    JOIN log.training AS t ON t.id = p.id
    LEFT JOIN log.run_names AS n ON n.run_id = t.run_id
    WHERE t.counts
  )
) AS p;
