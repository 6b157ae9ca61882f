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

-- filled from decisions
CREATE TABLE log.arm_results (
  owner VARCHAR,
  ablation VARCHAR,
  arm VARCHAR,
  measure VARCHAR,
  statistic VARCHAR,
  value DOUBLE,
  value_reason VARCHAR,
  low DOUBLE,
  high DOUBLE,
  units BIGINT
);

CREATE VIEW arm_results AS
SELECT r.* EXCLUDE (owner), b.name AS ablation_name
FROM log.arm_results AS r
LEFT JOIN log.ablations AS b USING (ablation);
