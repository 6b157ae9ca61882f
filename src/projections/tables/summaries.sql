-- Summaries: the evidence of a stage added up for one context module. Their figures are in table facts, the rollouts
-- they show in exemplars.
--
--   run               the run
--   stage             the stage being configured
--   evidence_through  the stage its evidence comes from
--   module            the context module: failures, stats, behaviour, training, self-summary
--   counts            whether it is the last summary of its stage for that module; null in an ablation, where each arm
--                     may have its own
--   rollouts          number of rollouts it is made from
--   splits            the splits of those rollouts
--   facts             number of figures
--   exemplars         number of rollouts it shows
--   text              the text an engineer reads, where the event holds it
--   answer            for a self-summary, the call of the model: model_calls.key
--   version           the version of the code that made it
--   parameters        its settings, as JSON
--   ablation          the ablation it was made in; null for one of a run
--   happened_at       when it was made (UTC)
--   id                the event
--   run_id            the identity of the run

CREATE TABLE log.summaries (
  id UUID,
  stream VARCHAR,
  revision BIGINT,
  happened_at TIMESTAMP,
  run_id VARCHAR,
  stage BIGINT,
  module VARCHAR,
  version VARCHAR,
  parameters JSON,
  splits VARCHAR[],
  rollouts BIGINT,
  facts BIGINT,
  exemplars BIGINT,
  text VARCHAR,
  answer VARCHAR
);

-- fill from SummaryRecorded
INSERT INTO log.summaries
SELECT
  id, stream, revision, happened_at, run_id, stage, data.module, data.version, data.parameters, data.splits,
  data.rollouts, len(data.facts), len(data.exemplars), data.text ->> '$.text', data.answer.key
FROM batch;

CREATE VIEW log.all_summaries AS
SELECT
  *, ablation_in(stream) AS ablation,
  CASE WHEN ablation_in(stream) IS NULL
    THEN revision = max(revision) OVER (PARTITION BY stream, run_id, stage, module) END AS counts
FROM log.summaries;

CREATE VIEW summaries AS
SELECT
  n.run, s.stage, s.stage - 1 AS evidence_through, s.module, s.counts, s.rollouts, s.splits, s.facts, s.exemplars, s.text, s.answer, s.version,
  s.parameters, s.ablation, s.happened_at, s.id, s.run_id
FROM log.all_summaries AS s
LEFT JOIN log.run_names AS n ON n.run_id = s.run_id;
