-- Labels: what may be cited from a context, and which events each label stands for.
--
--   run         the run
--   stage       the stage the context looks back on
--   label       what it is cited by: F8.hole
--   module      the context module it stands in
--   family  the set of knobs it is of; null: all of them
--   events      the summary, the rollouts, the failures it stands for, by id
--   ablation    the ablation the context was made in; null where it is of a run
--   context     the context: contexts.id
--   run_id      the identity of the run

CREATE TABLE log.context_labels (
  id UUID,
  label VARCHAR,
  module VARCHAR,
  family VARCHAR,
  events UUID[]
);

-- fill from ContextRecorded
INSERT INTO log.context_labels
SELECT id, cited.key, cited.value.module, cited.value.family, try_cast(cited.value.events AS UUID[])
FROM (
  SELECT id, unnest(map_entries(from_json(
    data.labels, '"MAP(VARCHAR, STRUCT(\"module\" VARCHAR, \"events\" VARCHAR[], \"family\" VARCHAR))"'
  ))) AS cited
  FROM batch
);

CREATE VIEW context_labels AS
SELECT
  n.run, c.stage, l.label, l.module, l.family, l.events, ablation_in(c.stream) AS ablation, l.id AS context,
  c.run_id
FROM log.context_labels AS l
JOIN log.contexts AS c ON c.id = l.id
LEFT JOIN log.run_names AS n ON n.run_id = c.run_id;
