-- Facts: the figures of summaries, each of which an engineer may cite by its evidence id.
--
--   run               the run
--   stage             the stage being configured
--   evidence_through  the stage its evidence comes from
--   module            the context module that shows it
--   evidence_id       the evidence id it is cited by: F8.hole; context_evidence has the contexts that show it
--   family            the task family; null: all families
--   measure           what the figure measures: valid, holes, failures
--   about             the failure class, agent or knob it is about
--   value             the figure; null where there is none
--   value_reason      why there is no value
--   count             number of rollouts that had it, where it was counted
--   out_of            number of rollouts counted
--   low               the lower end of its interval
--   high              the upper end
--   counts            whether its summary is the last of the stage for that module; null in an ablation
--   ablation          the ablation it was made in; null for one of a run
--   summary           the summary: summaries.id
--   run_id            the identity of the run

CREATE TABLE log.facts (
  id UUID,
  evidence_id VARCHAR,
  family VARCHAR,
  measure VARCHAR,
  about VARCHAR,
  value DOUBLE,
  value_reason VARCHAR,
  count BIGINT,
  out_of BIGINT,
  low DOUBLE,
  high DOUBLE
);

-- fill from SummaryRecorded
INSERT INTO log.facts
SELECT
  id, fact.evidenceId, fact.family, fact.measure, fact.about, try_cast(fact.value AS DOUBLE), fact.value ->> '$.reason',
  fact.count, fact.of, fact.low, fact.high
FROM (SELECT id, unnest(data.facts) AS fact FROM batch);

CREATE VIEW facts AS
SELECT
  n.run, s.stage, s.stage - 1 AS evidence_through, s.module, f.evidence_id, f.family, f.measure, f.about, f.value, f.value_reason, f.count, f.out_of,
  f.low, f.high, s.counts, s.ablation, f.id AS summary, s.run_id
FROM log.facts AS f
JOIN log.all_summaries AS s ON s.id = f.id
LEFT JOIN log.run_names AS n ON n.run_id = s.run_id;
