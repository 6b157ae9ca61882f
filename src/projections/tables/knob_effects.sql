-- Effects of knobs: how the validation of a family moved when one of its knobs was turned, beside families that were left alone
-- at the same time. Turned together with others, a knob is not alone to blame: that is what turned_alone tells.
--
--   environment    the environment
--   word           the knob, as it is called within its family: hole
--   family     the family; null: over all families, and for a knob that belongs to none
--   direction      up or down
--   changes        how often it was turned so, with validations before and after
--   turned_alone   how many of these times no other knob of its family was turned
--   mean_steps     by how many of its steps, on average
--   mean_gain      by how much the rate of its family moved, on average
--   gain_low       the lower end of the 95 % interval of that mean, Student's; null for less than two changes
--   gain_high      the upper end
--   beside         how many of the changes have families beside them in which nothing was turned
--   beside_gain    by how much the rates of those moved in the same stages, on average
--   difference     how much more than those its family moved, on average over these changes
--   difference_low   the lower end of its 95 % interval
--   difference_high  the upper end
--   runs           in how many runs
--   harder         whether tasks get harder with more of it or with less

CREATE VIEW knob_effects AS
WITH
moved AS (
  SELECT
    c.run_id, c.for_stage, c.environment, c.word, c.family, c.direction, c.steps, c.gain, c.harder,
    count(*) OVER (PARTITION BY c.run_id, c.for_stage, c.family) = 1 AS alone
  FROM knob_changes AS c
),
-- A knob that concerns all families leaves none of them alone.
untouched AS (
  SELECT c.run_id, c.stage AS for_stage, avg(a.valid - b.valid) AS gain
  FROM log.course AS c
  JOIN log.rates AS a ON a.id = c.validation
  JOIN log.validation AS b ON b.run_id = c.run_id AND b.stage = c.stage - 1 AND b.family = a.family
  ANTI JOIN moved AS m ON m.run_id = c.run_id AND m.for_stage = c.stage AND m.family = a.family
  ANTI JOIN (SELECT * FROM moved WHERE family IS NULL) AS o ON o.run_id = c.run_id AND o.for_stage = c.stage
  WHERE a.valid IS NOT NULL AND b.valid IS NOT NULL
  GROUP BY c.run_id, c.stage
),
compared AS (
  SELECT m.*, u.gain AS beside_gain, m.gain - u.gain AS difference
  FROM moved AS m
  LEFT JOIN untouched AS u ON u.run_id = m.run_id AND u.for_stage = m.for_stage
  WHERE m.direction IS NOT NULL AND m.gain IS NOT NULL
),
summed AS (
  SELECT
    environment, word, family, direction, count(*) AS changes, count(*) FILTER (alone) AS turned_alone,
    avg(steps) AS mean_steps, avg(gain) AS mean_gain,
    -- Of differences so large there is no square.
    CASE WHEN max(abs(gain)) < 1e150 THEN stddev_samp(gain) FILTER (abs(gain) < 1e150) END / sqrt(count(*)) AS gain_error,
    count(difference) AS beside, avg(beside_gain) AS beside_gain, avg(difference) AS difference,
    CASE WHEN max(abs(difference)) < 1e150 THEN stddev_samp(difference) FILTER (abs(difference) < 1e150) END
      / sqrt(count(difference)) AS difference_error,
    count(DISTINCT run_id) AS runs, any_value(harder) AS harder
  FROM compared
  GROUP BY GROUPING SETS ((environment, word, direction), (environment, word, family, direction))
  -- A knob of no family is in the rows over all families already.
  HAVING grouping(family) = 1 OR family IS NOT NULL
)
SELECT
  environment, word, family, direction, changes, turned_alone, mean_steps, mean_gain,
  mean_gain - student_t(changes - 1) * gain_error AS gain_low,
  mean_gain + student_t(changes - 1) * gain_error AS gain_high,
  beside, beside_gain, difference, difference - student_t(beside - 1) * difference_error AS difference_low,
  difference + student_t(beside - 1) * difference_error AS difference_high, runs, harder
FROM summed;
