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

-- The valid rate of each family on the probe tasks, as summaries have it; with family null, over all families.
CREATE TABLE log.probed (
  id UUID,
  family VARCHAR,
  valid DOUBLE,
  low DOUBLE,
  high DOUBLE
);

-- An interval depends on the number of tasks, which is not recorded over all families.
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

-- The most frequent failure class of each family, from the failure summary or else from the validation; with family null, over
-- all families: where the event has no total, their sum.
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
  n.run, s.stage, s.stage - 1 AS evidence_through, s.module, s.counts, s.rollouts, s.splits, s.facts, s.exemplars, s.text, s.answer, s.version,
  s.parameters, s.ablation, s.happened_at, s.id, s.run_id
FROM log.all_summaries AS s
LEFT JOIN log.run_names AS n ON n.run_id = s.run_id;
