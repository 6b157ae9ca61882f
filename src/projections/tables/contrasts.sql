-- Contrasts: arms compared in pairs by unit, as their ablation recorded them at its end.
--
--   ablation           the ablation
--   arm                the arm; of a main effect an engineer or a context of the matrix
--   reference          what it is compared with
--   factor             of a main effect: engineer or context; null: two arms
--   measure            the measure they are compared by
--   declared           whether the contrast was declared before any decision
--   difference         the arm minus the reference; null where there is none
--   difference_reason  why there is no difference
--   low                the lower end of its interval
--   high               the upper end
--   effect             the difference in standard deviations
--   p                  the probability of a difference this large by chance
--   adjusted           p, corrected for the number of contrasts
--   verdict            significant; equivalent (by a test with the stated margin); inconclusive; not-applicable (a
--                      null by construction)
--   method             the statistical method
--   units              number of pairs
--   units_needed       how many units would show a difference this large
--   ablation_name      the name of the ablation

CREATE TABLE log.contrasts (
  ablation VARCHAR,
  revision BIGINT,
  arm VARCHAR,
  reference VARCHAR,
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
INSERT INTO log.contrasts
SELECT
  substr(stream, length('ablation-') + 1), revision, one.arm, one.reference, one.factor, one.measure, one.declared,
  try_cast(one.difference AS DOUBLE), one.difference ->> '$.reason', one.low, one.high, try_cast(one.effect AS DOUBLE), try_cast(one.p AS DOUBLE),
  try_cast(one.adjusted AS DOUBLE), one.verdict, one.method, one.units, one.unitsNeeded
FROM (SELECT *, unnest(data.contrasts) AS one FROM batch);

CREATE VIEW contrasts AS
SELECT
  c.ablation, c.arm, c.reference, c.factor, c.measure, c.declared, c.difference, c.difference_reason, c.low, c.high, c.effect, c.p,
  c.adjusted, c.verdict, c.method, c.units, c.units_needed, b.name AS ablation_name
FROM log.contrasts AS c
JOIN log.ended_ablations AS e USING (ablation, revision)
LEFT JOIN log.ablation_names AS b USING (ablation);
