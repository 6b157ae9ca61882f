-- Summaries: the evidence of a stage added up for one context module. What they say figure by figure is in table facts,
-- the rollouts they show in exemplars.
--
--   run          the run
--   stage        its stage
--   module       the context module: failures, stats, behaviour, training, self-summary
--   counts       whether it is the last summary of its stage for that module; null in an ablation, where each arm may
--                have its own
--   rollouts     how many rollouts it is made from
--   splits       the splits of those rollouts
--   facts        how many figures it gives
--   exemplars    how many rollouts it shows
--   text         as an engineer reads it, where the event holds it
--   answer       the call of a model a self-summary comes from: model_calls.key
--   version      of the code that adds up
--   parameters   how it was set, as JSON
--   ablation     the ablation it was made in; null where it is of a run
--   happened_at  when it was made (UTC)
--   id           the event
--   run_id       the identity of the run

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

-- How often families succeeded at the probe pool, as it was summed up for engineers; with family null, over all families.
CREATE TABLE log.probed (
  id UUID,
  family VARCHAR,
  valid DOUBLE,
  low DOUBLE,
  high DOUBLE
);

-- How sure a rate is follows from the number of tasks, which are not told over all families.
-- fill from SummaryRecorded
INSERT INTO log.probed
WITH told AS (
  SELECT
    id, fact.family AS family, try_cast(fact.value AS DOUBLE) AS valid, fact.count AS count, fact.of AS out_of,
    fact.low AS low, fact.high AS high
  FROM (SELECT id, unnest(data.facts) AS fact FROM batch WHERE data.module = 'behaviour')
  WHERE fact.measure = 'valid' AND fact.about IS NULL
)
SELECT id, family, valid, low, high FROM told
UNION ALL
SELECT id, NULL, sum(count) / sum(out_of), NULL, NULL FROM told GROUP BY id
HAVING count(*) = count(family) AND count(*) = count(out_of) AND sum(out_of) > 0;

-- The way each family failed most often, as failures were summed up for engineers, or else as the validation has it; with family
-- null, all families: where nobody added these up, as they add up.
CREATE TABLE log.worst_failures (
  id UUID,
  family VARCHAR,
  failure_class VARCHAR,
  count BIGINT,
  counted_in VARCHAR
);

-- fill from SummaryRecorded
INSERT INTO log.worst_failures
WITH told AS (
  SELECT *, bool_or(family IS NULL) OVER (PARTITION BY id) AS pooled
  FROM (
    SELECT id, fact.family AS family, fact.about AS failure_class, fact.count AS count, counted_in
    FROM (
      SELECT id, unnest(data.facts) AS fact, coalesce(array_to_string(data.splits, ', '), 'evidence') AS counted_in
      FROM batch WHERE data.module = 'failures'
    )
    WHERE fact.about IS NOT NULL
  )
)
SELECT
  id, family, failure_class, CASE WHEN count(*) = count(count) THEN try_cast(sum(count) AS BIGINT) END AS failures,
  counted_in
FROM (FROM told UNION ALL SELECT * REPLACE (NULL AS family) FROM told WHERE NOT pooled)
GROUP BY id, family, failure_class, counted_in
QUALIFY row_number() OVER (PARTITION BY id, family ORDER BY failures DESC NULLS LAST, failure_class) = 1;

-- fill from EvaluationRecorded
INSERT INTO log.worst_failures
WITH told AS (
  SELECT *, bool_or(family IS NULL) OVER (PARTITION BY id) AS pooled
  FROM (
    SELECT id, failure.family AS family, failure.class AS failure_class, failure.count AS count, counted_in
    FROM (
      SELECT id, unnest(data.failures) AS failure, 'suite ' || data.suite.name AS counted_in
      FROM batch WHERE data.split = 'validation'
    )
  )
)
SELECT
  id, family, failure_class, CASE WHEN count(*) = count(count) THEN try_cast(sum(count) AS BIGINT) END AS failures,
  counted_in
FROM (FROM told UNION ALL SELECT * REPLACE (NULL AS family) FROM told WHERE NOT pooled)
GROUP BY id, family, failure_class, counted_in
QUALIFY row_number() OVER (PARTITION BY id, family ORDER BY failures DESC NULLS LAST, failure_class) = 1;

CREATE VIEW log.all_summaries AS
SELECT
  *, ablation_in(stream) AS ablation,
  CASE WHEN ablation_in(stream) IS NULL
    THEN revision = max(revision) OVER (PARTITION BY stream, run_id, stage, module) END AS counts
FROM log.summaries;

CREATE VIEW summaries AS
SELECT
  n.run, s.stage, s.module, s.counts, s.rollouts, s.splits, s.facts, s.exemplars, s.text, s.answer, s.version,
  s.parameters, s.ablation, s.happened_at, s.id, s.run_id
FROM log.all_summaries AS s
LEFT JOIN log.run_names AS n ON n.run_id = s.run_id;
