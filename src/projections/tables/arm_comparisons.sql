-- Arms compared, paired by unit, as their ablation recorded it at its end.
--
--   ablation           the ablation
--   arm                the arm; of a main effect an engineer or a context of the matrix
--   against            what it is compared with
--   factor             engineer or context, of a main effect; null: of two arms
--   measure            what they are compared by
--   declared           whether it was declared before anything was decided
--   difference         the first less the second; null where there is none
--   difference_reason  why there is none
--   low                the lower end of its interval
--   high               the upper end
--   effect             the difference in standard deviations
--   p                  how likely so much of a difference is where there is none
--   adjusted           p, corrected for the number of contrasts
--   verdict            different (significant), equal (equivalent, by a test with the stated margin), inconclusive (inconclusive), not-applicable (a null by construction)
--   method             how they were compared
--   units              how many pairs
--   units_needed       how many units would show a difference this large
--   ablation_name      what people call the ablation

CREATE TABLE log.arm_comparisons (
  ablation VARCHAR,
  revision BIGINT,
  arm VARCHAR,
  against VARCHAR,
  factor VARCHAR,
  measure VARCHAR,
  declared BOOLEAN,
  difference DOUBLE,
  difference_reason VARCHAR,
  low DOUBLE,
  high DOUBLE,
  effect DOUBLE,
  p DOUBLE,
  adjusted DOUBLE,
  verdict VARCHAR,
  method VARCHAR,
  units BIGINT,
  units_needed BIGINT
);

-- fill from AblationCompleted
INSERT INTO log.arm_comparisons
SELECT
  substr(stream, length('ablation-') + 1), revision, one.arm, one.against, one.factor, one.measure, one."primary",
  try_cast(one.difference AS DOUBLE), one.difference ->> '$.reason', one.low, one.high, try_cast(one.effect AS DOUBLE), try_cast(one.p AS DOUBLE),
  try_cast(one.adjusted AS DOUBLE), one.verdict, one.method, one.units, one.unitsNeeded
FROM (SELECT *, unnest(data.comparisons) AS one FROM batch);

CREATE VIEW arm_comparisons AS
SELECT
  c.ablation, c.arm, c.against, c.factor, c.measure, c.declared, c.difference, c.difference_reason, c.low, c.high, c.effect, c.p,
  c.adjusted, c.verdict, c.method, c.units, c.units_needed, b.name AS ablation_name
FROM log.arm_comparisons AS c
JOIN log.ended_ablations AS e USING (ablation, revision)
LEFT JOIN log.ablation_names AS b USING (ablation);
