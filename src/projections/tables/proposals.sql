-- Proposals: the answers of engineers that were asked for the next configuration, including those that could not be
-- used and errors. Answers of an ablation's arms are included; they have an ablation, an arm and a unit.
-- Those with an arm_run repeat answers of that run: leave them out of sums.

-- filled from decisions
CREATE TABLE log.proposals (
  owner VARCHAR,
  stage BIGINT,               -- the stage being configured
  evidence_through BIGINT,    -- the last stage with evidence for it: the one before
  outcome VARCHAR,            -- accepted, rejected, or errored: there was no answer
  reason VARCHAR,             -- why it was rejected: empty, unreadable, invalid, impossible, refused; or errored:
                              -- crashed, timeout, unavailable
  error VARCHAR,              -- the error that prevented an answer
  side_question BOOLEAN,      -- whether it was made after the configuration of its stage was decided: it had no part in
                              -- the decision
  engineer VARCHAR,           -- the engineer
  model VARCHAR,              -- the model the engineer asks
  context_form VARCHAR,       -- the context form it was shown; null where none was shown
  rationale VARCHAR,          -- the reasoning as a whole; null where it was left out
  changes BIGINT,             -- number of knobs it changes
  kept BIGINT,                -- number of knobs it keeps on purpose; null where it does not say
  clamps BIGINT,              -- number of proposed values that were moved to allowed ones
  cites VARCHAR[],            -- the evidence ids it cites, each once
  predictions BIGINT,         -- number of predicted rates; null where it predicts none
  citation DOUBLE,            -- citation score: how much of the cited evidence concerns its change, corrected for
                              -- chance; 1 at best
  preservation DOUBLE,        -- preservation score: the share of working families that are kept
  usable DOUBLE,              -- score: 1: parsed, in range, no clamps
  brier DOUBLE,               -- Brier score of its predictions against probe-holdout results: 0 is best
  rank_correlation DOUBLE,    -- rank correlation of its predictions with those results: 1 is best
  input_tokens BIGINT,        -- tokens of its prompts
  output_tokens BIGINT,       -- tokens of its answers
  cost DOUBLE,                -- what its answers cost; one that proposals share counts in each, and once in
                              -- model_calls
  currency VARCHAR,           -- the currency of the cost
  issues STRUCT(field VARCHAR, found VARCHAR, allowed VARCHAR)[], -- what was wrong with it, field by field
  raw VARCHAR,                -- the last raw answer of a rejected or errored proposal, if the event has it
  answers BIGINT,             -- number of model answers it took, repairs included
  calls VARCHAR[],            -- these answers, in order: model_calls.key
  sample BIGINT,              -- the sample number among proposals to the same question
  usage MAP(VARCHAR, DOUBLE), -- tokens by kind: usage['input']
  configuration VARCHAR,      -- the digest of the proposed configuration
  context VARCHAR,            -- the digest of the context it was shown
  context_event UUID,         -- the event with that context
  ablation VARCHAR,           -- the ablation; null for events of a run
  arm VARCHAR,                -- its arm
  unit VARCHAR,               -- the unit of analysis: arms are paired within it
  arm_run VARCHAR,            -- the run that the arm continues as, by identity; it has the same answer
  happened_at TIMESTAMP,      -- when it was made (UTC)
  id UUID,                    -- the event: icecore event show ID shows it whole
  run_id VARCHAR,             -- the identity of the run
  predicted STRUCT(family VARCHAR, measure VARCHAR, "value" DOUBLE)[]
);

-- Adopted by any run, unchanged.
CREATE VIEW log.adopted AS SELECT DISTINCT proposal FROM log.decisions WHERE NOT edited;

CREATE VIEW proposals AS
SELECT
  n.run,                             -- the run; of an arm, the run whose history it replays
  p.stage, p.evidence_through, p.outcome, p.reason, p.error,
  d.proposal IS NOT NULL AS adopted, -- whether its configuration was adopted, unchanged
  p.* EXCLUDE (owner, stage, evidence_through, outcome, reason, error, predicted)
FROM log.proposals AS p
LEFT JOIN log.adopted AS d ON d.proposal = p.id
LEFT JOIN log.run_names AS n ON n.run_id = p.run_id;
