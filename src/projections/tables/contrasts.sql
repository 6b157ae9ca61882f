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

-- filled from decisions
CREATE TABLE log.contrasts (
  owner VARCHAR,
  ablation VARCHAR,
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

CREATE VIEW contrasts AS
SELECT c.* EXCLUDE (owner), b.name AS ablation_name
FROM log.contrasts AS c
LEFT JOIN log.ablations AS b USING (ablation);
