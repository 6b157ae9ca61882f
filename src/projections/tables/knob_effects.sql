-- Effects of knobs: how the valid rate of a family moved when one of its knobs was changed, compared with families
-- whose knobs were left unchanged for the same stage. Where several knobs of a family change together, the effect is
-- not of one alone: changed_alone counts the changes of a single knob.

CREATE VIEW knob_effects AS
WITH
moved AS (
  SELECT
    c.run_id, c.stage, c.environment, c.short_name, c.family, c.direction, c.steps, c.gain, c.harder,
    count(*) OVER (PARTITION BY c.run_id, c.stage, c.family) = 1 AS alone
  FROM log.knob_changes AS c
),
-- A change of a knob that concerns all families leaves no family unchanged.
untouched AS (
  SELECT c.run_id, c.stage, avg(c.gain) AS gain
  FROM log.curriculum AS c
  ANTI JOIN moved AS m ON m.run_id = c.run_id AND m.stage = c.stage AND m.family = c.family
  ANTI JOIN (SELECT * FROM moved WHERE family IS NULL) AS o ON o.run_id = c.run_id AND o.stage = c.stage
  WHERE c.family IS NOT NULL AND c.gain IS NOT NULL
  GROUP BY c.run_id, c.stage
),
compared AS (
  SELECT m.*, u.gain AS comparison_gain, m.gain - u.gain AS difference
  FROM moved AS m
  LEFT JOIN untouched AS u ON u.run_id = m.run_id AND u.stage = m.stage
  WHERE m.direction IS NOT NULL AND m.gain IS NOT NULL
),
summed AS (
  SELECT
    environment, short_name, family, direction, count(*) AS changes, count(*) FILTER (alone) AS changed_alone,
    avg(steps) AS mean_steps, avg(gain) AS mean_gain,
    -- The square of a larger difference overflows.
    CASE WHEN max(abs(gain)) < 1e150 THEN stddev_samp(gain) FILTER (abs(gain) < 1e150) END / sqrt(count(*)) AS gain_error,
    count(difference) AS comparisons, avg(comparison_gain) AS comparison_gain, avg(difference) AS difference,
    CASE WHEN max(abs(difference)) < 1e150 THEN stddev_samp(difference) FILTER (abs(difference) < 1e150) END
      / sqrt(count(difference)) AS difference_error,
    count(DISTINCT run_id) AS runs, any_value(harder) AS harder
  FROM compared
  GROUP BY GROUPING SETS ((environment, short_name, direction), (environment, short_name, family, direction))
  -- A knob without a family is already in the rows over all families.
  HAVING grouping(family) = 1 OR family IS NOT NULL
)
SELECT
  environment,     -- the environment
  short_name,      -- the name of the knob within its family: hole
  family,          -- the family; null: over all families, and for a knob without a family
  direction,       -- up or down
  changes,         -- number of such changes with validations before and after
  changed_alone,   -- number of them in which no other knob of its family was changed
  mean_steps,      -- mean size of the change in steps of the knob
  mean_gain,       -- mean change of the valid rate of its family
  mean_gain - student_t(changes - 1) * gain_error AS gain_low, -- the lower end of the 95 % interval of that mean
                   -- (Student's t); null for fewer than two changes
  mean_gain + student_t(changes - 1) * gain_error AS gain_high, -- the upper end
  comparisons,     -- number of the changes with other families left unchanged, used as comparison
  comparison_gain, -- mean change of the valid rates of those families in the same stages
  difference,      -- how much more the family moved than those, on average over these changes
  difference - student_t(comparisons - 1) * difference_error AS difference_low, -- the lower end of its 95 % interval
  difference + student_t(comparisons - 1) * difference_error AS difference_high, -- the upper end
  runs,            -- number of runs
  harder           -- whether tasks get harder with more of it or with less
FROM summed;
