-- Results of arms: how an arm did, over units, as its ablation recorded it at its end.
--
--   ablation       the ablation
--   arm            the arm
--   measure        what was measured
--   statistic      mean, median, p10
--   value          the result; null where there is none
--   value_reason   why there is no value
--   low            the lower end of its interval
--   high           the upper end
--   units          how many units it comes from
--   ablation_name  the name of the ablation

CREATE TABLE log.arm_results (
  ablation VARCHAR,
  revision BIGINT,
  arm VARCHAR,
  measure VARCHAR,
  statistic VARCHAR,
  value DOUBLE,
  value_reason VARCHAR,
  low DOUBLE,
  high DOUBLE,
  units BIGINT
);

-- fill from AblationCompleted
INSERT INTO log.arm_results
SELECT
  substr(stream, length('ablation-') + 1), revision, result.arm, result.measure, result.statistic,
  try_cast(result.value AS DOUBLE), result.value ->> '$.reason', result.low, result.high, result.units
FROM (SELECT *, unnest(data.results) AS result FROM batch);

CREATE VIEW arm_results AS
SELECT
  r.ablation, r.arm, r.measure, r.statistic, r.value, r.value_reason, r.low, r.high, r.units,
  b.name AS ablation_name
FROM log.arm_results AS r
JOIN log.ended_ablations AS e USING (ablation, revision)
LEFT JOIN log.ablation_names AS b USING (ablation);
