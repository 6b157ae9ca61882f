-- Results of arms: how an arm did, over units, as its ablation recorded it at its end. Arms that can use nothing of their
-- context (all modules in arms.not_applicable) are included, but the ablation compares and ranks them with no other.

-- filled from decisions
CREATE TABLE log.arm_results (
  owner VARCHAR,
  ablation VARCHAR,     -- the ablation
  arm VARCHAR,          -- the arm
  measure VARCHAR,      -- what was measured
  statistic VARCHAR,    -- mean, median, p10
  value DOUBLE,         -- the result; null where there is none
  value_reason VARCHAR, -- why there is no value
  low DOUBLE,           -- the lower end of its interval
  high DOUBLE,          -- the upper end
  units BIGINT          -- how many units it comes from
);

CREATE VIEW arm_results AS
SELECT
  r.* EXCLUDE (owner),
  b.name AS ablation_name -- the name of the ablation
FROM log.arm_results AS r
LEFT JOIN log.ablations AS b USING (ablation);
