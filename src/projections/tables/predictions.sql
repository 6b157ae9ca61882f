-- Predictions: the rates that engineers predicted for the policy at the time they were asked, and the measured rates.

-- Measurements in each stage of a run's history, on the validation suite and on the probe-holdout tasks.
-- filled from decisions
CREATE TABLE log.judged (
  owner VARCHAR,
  stage BIGINT,
  split VARCHAR,
  family VARCHAR,
  measure VARCHAR,
  value DOUBLE,
  count BIGINT,
  out_of BIGINT,
  low DOUBLE,
  high DOUBLE,
  run_id VARCHAR
);

CREATE VIEW predictions AS
WITH
-- No stage follows a proposal of an arm. This is no join condition, since joins on equality alone are faster.
predicted AS (
  SELECT *, unnest(predicted) AS one, CASE WHEN ablation IS NULL THEN stage END AS next_stage FROM log.proposals
),
-- Where there are probe-holdout results, the validation is not used.
reference AS (
  SELECT * FROM log.judged QUALIFY split = min(split) OVER (PARTITION BY run_id, stage)
)
SELECT
  n.run,                             -- the run; of an arm, the run whose history it replays
  p.stage,                           -- the stage being configured
  p.stage - 1 AS evidence_through,   -- the last complete stage: the prediction is about the policy after it
  p.engineer,                        -- the engineer
  p.model,                           -- the model the engineer asks
  p.context_form,                    -- the context form it was shown
  p.one.family AS family,            -- the family
  p.one.measure AS measure,          -- what was predicted: valid
  p.one."value" AS predicted,        -- the predicted rate
  c.value AS measured,               -- the measured rate, on the probe-holdout tasks or else on the validation suite
  c.low AS measured_low,             -- the lower end of its 95 % interval
  c.high AS measured_high,           -- the upper end
  CASE WHEN c.value IS NOT NULL THEN c.split END AS measured_split, -- probe-holdout or validation; null where nothing
                                     -- was measured
  p.one."value" - c.value AS error,  -- predicted minus measured
  p.one."value" BETWEEN c.low AND c.high AS within, -- whether the prediction is within that interval
  v.value AS next,                   -- the rate of the family in the validation of the stage being configured; null for
                                     -- an arm
  v.low AS next_low,                 -- the lower end of its 95 % interval
  v.high AS next_high,               -- the upper end
  d.proposal IS NOT NULL AS adopted, -- whether the proposal was adopted, unchanged
  p.ablation,                        -- the ablation; null for events of a run
  p.arm,                             -- its arm
  p.unit,                            -- the unit of analysis
  p.id AS proposal,                  -- the proposal: proposals.id
  p.run_id                           -- the identity of the run
FROM predicted AS p
LEFT JOIN log.run_names AS n ON n.run_id = p.run_id
LEFT JOIN log.adopted AS d ON d.proposal = p.id
LEFT JOIN reference AS c
  ON c.run_id = p.run_id AND c.stage = p.stage - 1 AND c.measure = p.one.measure
    AND c.family = p.one.family
LEFT JOIN log.judged AS v
  ON v.run_id = p.run_id AND v.stage = p.next_stage AND v.split = 'validation'
    AND v.measure = p.one.measure AND v.family = p.one.family;
