-- Evidence of contexts: the evidence ids a context offers for citation, and the events each of them refers to.
--
--   run               the run
--   stage             the stage being configured
--   evidence_through  the last stage with evidence in the context
--   evidence_id       the evidence id: F8.hole
--   module            the context module that shows it
--   family            the task family; null: all families
--   events            the summary, rollouts and failures it refers to, by id
--   ablation          the ablation the context was made in; null for one of a run
--   context           the context: contexts.id
--   run_id            the identity of the run

CREATE TABLE log.context_evidence (
  id UUID,
  evidence_id VARCHAR,
  module VARCHAR,
  family VARCHAR,
  events UUID[]
);

-- fill from ContextRecorded
INSERT INTO log.context_evidence
SELECT id, cited.key, cited.value.module, cited.value.family, try_cast(cited.value.events AS UUID[])
FROM (
  SELECT id, unnest(map_entries(from_json(
    data.evidenceIds, '"MAP(VARCHAR, STRUCT(\"module\" VARCHAR, \"events\" VARCHAR[], \"family\" VARCHAR))"'
  ))) AS cited
  FROM batch
);

CREATE VIEW context_evidence AS
SELECT
  n.run, c.stage, c.stage - 1 AS evidence_through, l.evidence_id, l.module, l.family, l.events, ablation_in(c.stream) AS ablation, l.id AS context,
  c.run_id
FROM log.context_evidence AS l
JOIN log.contexts AS c ON c.id = l.id
LEFT JOIN log.run_names AS n ON n.run_id = c.run_id;
