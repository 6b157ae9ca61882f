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

-- filled from decisions
CREATE TABLE log.summaries (
  owner VARCHAR,
  stage BIGINT,
  evidence_through BIGINT,
  "module" VARCHAR,
  counts BOOLEAN,
  rollouts BIGINT,
  splits VARCHAR[],
  facts BIGINT,
  exemplars BIGINT,
  text VARCHAR,
  answer VARCHAR,
  version VARCHAR,
  parameters JSON,
  ablation VARCHAR,
  happened_at TIMESTAMP,
  id UUID,
  run_id VARCHAR
);

CREATE VIEW summaries AS
SELECT n.run, s.* EXCLUDE (owner)
FROM log.summaries AS s
LEFT JOIN log.run_names AS n ON n.run_id = s.run_id;
