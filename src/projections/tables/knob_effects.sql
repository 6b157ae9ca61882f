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
  SELECT m.*, h.history, u.gain AS comparison_gain, m.gain - u.gain AS difference
  FROM moved AS m
  JOIN log.histories AS h ON h.run_id = m.run_id
  LEFT JOIN untouched AS u ON u.run_id = m.run_id AND u.stage = m.stage
  WHERE m.direction IS NOT NULL AND m.gain IS NOT NULL
),
-- The changes of a run and its forks are not independent: means are over changes, their errors from history to history.
by_history AS (
  SELECT
    environment, short_name, family, direction, history, count(DISTINCT run_id) AS runs, count(*) AS changes, count(*) FILTER (alone) AS changed_alone,
    sum(steps) AS steps, count(steps) AS stepped, sum(gain) AS gain, any_value(harder) AS harder,
    count(difference) AS comparisons, sum(comparison_gain) AS comparison_gain, sum(difference) AS difference,
    -- The square of a larger difference overflows.
    max(abs(gain)) < 1e150 AS small_gain, coalesce(max(abs(difference)) < 1e150, true) AS small_difference
  FROM compared
  GROUP BY GROUPING SETS (
    (environment, short_name, direction, history), (environment, short_name, family, direction, history)
  )
  -- A knob without a family is already in the rows over all families.
  HAVING grouping(family) = 1 OR family IS NOT NULL
),
deviating AS (
  SELECT
    *, changes * sum(gain) OVER effect / sum(changes) OVER effect AS usual_gain,
    comparisons * sum(difference) OVER effect / sum(comparisons) OVER effect AS usual_difference
  FROM by_history
  WINDOW effect AS (PARTITION BY environment, short_name, family, direction)
),
summed AS (
  SELECT
    environment, short_name, family, direction, sum(changes)::BIGINT AS changes,
    sum(changed_alone)::BIGINT AS changed_alone, sum(steps) / sum(stepped) AS mean_steps, sum(gain) / sum(changes) AS mean_gain,
    CASE WHEN bool_and(small_gain) THEN
      sqrt(sum((gain - usual_gain) ** 2) FILTER (small_gain) * count(*) / nullif(count(*) - 1, 0)) / sum(changes)
    END AS gain_error,
    sum(comparisons)::BIGINT AS comparisons, sum(comparison_gain) / sum(comparisons) AS comparison_gain,
    sum(difference) / sum(comparisons) AS difference, count(*) FILTER (comparisons > 0) AS compared_histories,
    CASE WHEN bool_and(small_difference) THEN
      sqrt(
        sum((difference - usual_difference) ** 2) FILTER (small_difference)
          * count(difference) / nullif(count(difference) - 1, 0)
      ) / sum(comparisons)
    END AS difference_error,
    sum(runs)::BIGINT AS runs, count(*) AS histories, any_value(harder) AS harder
  FROM deviating
  GROUP BY environment, short_name, family, direction
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
  mean_gain - student_t(histories - 1) * gain_error AS gain_low, -- the lower end of the 95 % interval of that mean
                   -- (Student's t over histories); null for a single history, whose changes are not independent
  mean_gain + student_t(histories - 1) * gain_error AS gain_high, -- the upper end
  comparisons,     -- number of the changes with other families left unchanged, used as comparison
  comparison_gain, -- mean change of the valid rates of those families in the same stages
  difference,      -- how much more the family moved than those, on average over these changes
  difference - student_t(compared_histories - 1) * difference_error AS difference_low, -- the lower end of its 95 %
                   -- interval over histories
  difference + student_t(compared_histories - 1) * difference_error AS difference_high, -- the upper end
  runs,            -- number of runs
  histories,       -- number of histories: a run and its forks are one
  harder           -- whether tasks get harder with more of it or with less
FROM summed;
