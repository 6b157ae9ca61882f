-- Proposals: the answers of engineers that were asked for the next configuration, including those that could not be
-- used and errors. Answers of an ablation's arms are included; they have an ablation, an arm and a unit.
--
--   run               the run; of an arm, the run whose history it replays
--   stage             the stage being configured
--   evidence_through  the last stage with evidence for it: the one before
--   outcome           accepted, rejected, or errored: there was no answer
--   reason            why it was rejected: empty, unreadable, invalid, impossible, refused; or errored: crashed,
--                     timeout, unavailable
--   error             what kept its engineer from answering
--   adopted           whether its configuration was adopted
--   side_question     whether it was made after the configuration of its stage was decided: it had no part in the
--                     decision
--   engineer          the engineer
--   model             the model the engineer asks
--   context_form      the context form it was shown; null where none was shown
--   rationale         the reasoning as a whole; null where it was left out
--   changes           number of knobs it changes
--   kept              number of knobs it keeps on purpose; null where it does not say
--   clamps            number of proposed values that were moved to allowed ones
--   cites             the evidence ids it cites, each once
--   predictions       number of predicted rates; null where it predicts none
--   citation          citation score: how much of the cited evidence concerns its change, corrected for chance; 1 at
--                     best
--   preservation      preservation score: the share of working families that are kept
--   usable            score: 1: parsed, in range, no clamps
--   brier             Brier score of its predictions against probe-holdout results: 0 is best
--   rank_correlation  rank correlation of its predictions with those results: 1 is best
--   input_tokens      tokens of its prompts
--   output_tokens     tokens of its answers
--   cost              what it cost
--   currency          the currency of the cost
--   issues            what was wrong with it, field by field
--   raw               the last raw answer of one that was rejected or errored, where the event holds it
--   answers           number of model answers it took, repairs included
--   sample            the sample number among proposals to the same question
--   usage             tokens by kind: usage['input']
--   configuration     the digest of the proposed configuration
--   context           the digest of the context it was shown
--   context_event     the event with that context
--   ablation          the ablation; null for events of a run
--   arm               its arm
--   unit              the unit of analysis: arms are paired within it
--   happened_at       when it was made (UTC)
--   id                the event: icecore event show ID shows it whole
--   run_id            the identity of the run

-- filled from decisions
CREATE TABLE log.proposals (
  owner VARCHAR,
  stage BIGINT,
  evidence_through BIGINT,
  outcome VARCHAR,
  reason VARCHAR,
  error VARCHAR,
  side_question BOOLEAN,
  engineer VARCHAR,
  model VARCHAR,
  context_form VARCHAR,
  rationale VARCHAR,
  changes BIGINT,
  kept BIGINT,
  clamps BIGINT,
  cites VARCHAR[],
  predictions BIGINT,
  citation DOUBLE,
  preservation DOUBLE,
  usable DOUBLE,
  brier DOUBLE,
  rank_correlation DOUBLE,
  input_tokens BIGINT,
  output_tokens BIGINT,
  cost DOUBLE,
  currency VARCHAR,
  issues STRUCT(field VARCHAR, found VARCHAR, allowed VARCHAR)[],
  raw VARCHAR,
  answers BIGINT,
  sample BIGINT,
  usage MAP(VARCHAR, DOUBLE),
  configuration VARCHAR,
  context VARCHAR,
  context_event UUID,
  ablation VARCHAR,
  arm VARCHAR,
  unit VARCHAR,
  happened_at TIMESTAMP,
  id UUID,
  run_id VARCHAR,
  predicted STRUCT(family VARCHAR, measure VARCHAR, "value" DOUBLE)[]
);

-- Whichever run adopted it.
CREATE VIEW log.adopted AS SELECT DISTINCT proposal FROM log.decisions WHERE proposal IS NOT NULL;

CREATE VIEW proposals AS
SELECT
  n.run, p.stage, p.evidence_through, p.outcome, p.reason, p.error, d.proposal IS NOT NULL AS adopted,
  p.* EXCLUDE (owner, stage, evidence_through, outcome, reason, error, predicted)
FROM log.proposals AS p
LEFT JOIN log.adopted AS d ON d.proposal = p.id
LEFT JOIN log.run_names AS n ON n.run_id = p.run_id;
