-- Predictions: the rates that engineers expected of the policy as it was when they were asked, and what was measured.
--
--   run          the run; of an arm, the run whose history it replays
--   stage        the stage that was over when it was asked for: the policy it is about is the one this stage left
--   for_stage    the stage the proposal is meant for
--   engineer     who predicted
--   model        the model the engineer asks
--   form         the form of the context it was shown
--   family   the family
--   measure      what was predicted: valid
--   predicted    the rate it expected
--   came         the rate that was measured, on tasks held back from it, or else on the validation suite
--   came_low     the lower end of its 95 % interval
--   came_high    the upper end
--   came_split   which of the two it is; null where nothing was measured
--   error        predicted less came
--   within       whether what was expected lies in that interval
--   next         the rate of the family in the validation of the stage it was meant for; null for an arm
--   next_low     the lower end of its 95 % interval
--   next_high    the upper end
--   adopted      whether the proposal was adopted
--   ablation     the ablation; null where it is of a run
--   arm          its arm
--   unit         the unit of analysis
--   proposal     the proposal: proposals.id
--   run_id       the identity of the run

CREATE VIEW predictions AS
WITH
judged AS (SELECT * FROM log.judged),
-- Nothing follows an arm's. That is no condition of the join: joins are quick where all is compared for being equal.
predicted AS (
  SELECT *, unnest(predictions) AS one, CASE WHEN NOT of_arm THEN for_stage END AS next_stage FROM log.proposals
),
-- Where anything is held back, nothing else is looked at.
against AS (
  SELECT * FROM judged
  QUALIFY split = min(split) OVER (PARTITION BY run, run_id, stage)
)
SELECT
  n.run, p.stage, p.for_stage, p.engineer, p.model, p.form, p.one.family AS family, p.one.measure AS measure,
  p.one."value" AS predicted, c.value AS came, c.low AS came_low, c.high AS came_high,
  CASE WHEN c.value IS NOT NULL THEN c.split END AS came_split, p.one."value" - c.value AS error,
  p.one."value" BETWEEN c.low AND c.high AS within, v.value AS next, v.low AS next_low, v.high AS next_high,
  d.proposal IS NOT NULL AS adopted, a.ablation, a.arm, a.unit, p.id AS proposal, p.run_id
FROM predicted AS p
LEFT JOIN log.run_names AS n ON n.run_id = p.run_id
LEFT JOIN log.arm_events AS a ON a.id = p.id
LEFT JOIN (SELECT DISTINCT proposal FROM log.adoptions) AS d ON d.proposal = p.id
LEFT JOIN against AS c
  ON c.run = n.run AND c.run_id = p.run_id AND c.stage = p.for_stage - 1 AND c.measure = p.one.measure
    AND c.family = p.one.family
LEFT JOIN judged AS v
  ON v.run = n.run AND v.run_id = p.run_id AND v.stage = p.next_stage AND v.split = 'validation'
    AND v.measure = p.one.measure AND v.family = p.one.family;
