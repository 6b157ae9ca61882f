-- Contrasts: arms compared in pairs by unit, as their ablation recorded them at its end.

-- filled from decisions
CREATE TABLE log.contrasts (
  owner VARCHAR,
  ablation VARCHAR,          -- the ablation
  arm VARCHAR,               -- the arm; of a main effect an engineer or a context of the matrix; of an effect in a
                             -- factorial the engineer and the module: 'checkpoint: failures', or two: 'failures x stats'
  reference VARCHAR,         -- what it is compared with; of a factorial 'checkpoint: without'
  factor VARCHAR,            -- of a main effect: engineer or context; null: two arms, or an effect in a factorial
  measure VARCHAR,           -- the measure they are compared by
  declared BOOLEAN,          -- whether the contrast was declared before any decision
  difference DOUBLE,         -- the arm minus the reference; null where there is none
  difference_reason VARCHAR, -- why there is no difference
  low DOUBLE,                -- the lower end of its interval
  high DOUBLE,               -- the upper end
  effect DOUBLE,             -- the difference in standard deviations
  p DOUBLE,                  -- the probability of a difference this large by chance
  adjusted DOUBLE,           -- p, corrected for the number of contrasts
  verdict VARCHAR,           -- significant; equivalent (by a test with the stated margin); inconclusive; not-applicable
                             -- (a null by construction)
  method VARCHAR,            -- the statistical method
  units BIGINT,              -- number of pairs
  units_needed BIGINT        -- how many units would show a difference this large
);

CREATE VIEW contrasts AS
SELECT
  c.* EXCLUDE (owner),
  b.name AS ablation_name -- the name of the ablation
FROM log.contrasts AS c
LEFT JOIN log.ablations AS b USING (ablation);
