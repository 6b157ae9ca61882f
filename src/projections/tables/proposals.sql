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
--   id                the event: icecore event ID shows it whole
--   run_id            the identity of the run

CREATE TABLE log.proposals (
  run_id VARCHAR,
  stage BIGINT,
  revision BIGINT,
  id UUID,
  happened_at TIMESTAMP,
  of_arm BOOLEAN,
  engineer VARCHAR,
  model VARCHAR,
  context VARCHAR,
  context_event UUID,
  context_form VARCHAR,
  answers BIGINT,
  sample BIGINT,
  usage MAP(VARCHAR, DOUBLE),
  cost DOUBLE,
  currency VARCHAR,
  configuration VARCHAR,
  knobs STRUCT(knob VARCHAR, family VARCHAR, "value" DOUBLE)[],
  changes STRUCT(knob VARCHAR, family VARCHAR, "from" DOUBLE, "to" DOUBLE, cites VARCHAR[], reason VARCHAR)[],
  kept STRUCT(knob VARCHAR, family VARCHAR, cites VARCHAR[], reason VARCHAR)[],
  clamps STRUCT(knob VARCHAR, family VARCHAR, proposed DOUBLE, used DOUBLE, "rule" VARCHAR)[],
  rationale VARCHAR,
  predictions STRUCT(family VARCHAR, measure VARCHAR, "value" DOUBLE)[],
  citation DOUBLE,
  preservation DOUBLE,
  usable DOUBLE,
  brier DOUBLE,
  rank_correlation DOUBLE
);

-- fill from ProposalRecorded, ArmProposed
INSERT INTO log.proposals
SELECT
  run_id, stage, revision, id, happened_at, type = 'ArmProposed', data.engineer.name,
  data.engineer.model, data.context.digest, try_cast(data.context.event AS UUID), data.context.contextForm,
  len(data.answers), data.sample, from_json(data.usage, '"MAP(VARCHAR, DOUBLE)"'), data.cost.total, data.cost.currency,
  data.configuration.digest, data.configuration.knobs, data.changes, data.kept, data.clamps, data.rationale,
  data.predictions, try_cast(data.scores.citation AS DOUBLE), try_cast(data.scores.preservation AS DOUBLE),
  try_cast(data.scores.usable AS DOUBLE), try_cast(data.scores.calibration.brier AS DOUBLE),
  try_cast(data.scores.calibration.rankCorrelation AS DOUBLE)
FROM batch;

CREATE TABLE log.rejections (
  run_id VARCHAR,
  stage BIGINT,
  revision BIGINT,
  id UUID,
  happened_at TIMESTAMP,
  of_arm BOOLEAN,
  engineer VARCHAR,
  model VARCHAR,
  context VARCHAR,
  context_event UUID,
  context_form VARCHAR,
  answers BIGINT,
  sample BIGINT,
  usage MAP(VARCHAR, DOUBLE),
  cost DOUBLE,
  currency VARCHAR,
  reason VARCHAR,
  issues STRUCT(field VARCHAR, found VARCHAR, allowed VARCHAR)[],
  raw VARCHAR
);

-- fill from ProposalRejected, ArmRejected
INSERT INTO log.rejections
SELECT
  run_id, stage, revision, id, happened_at, type = 'ArmRejected', data.engineer.name,
  data.engineer.model, data.context.digest, try_cast(data.context.event AS UUID), data.context.contextForm,
  len(data.answers), data.sample, from_json(data.usage, '"MAP(VARCHAR, DOUBLE)"'), data.cost.total, data.cost.currency,
  data.reason, data.issues, data.raw ->> '$.text'
FROM batch;

CREATE TABLE log.errors (
  run_id VARCHAR,
  stage BIGINT,
  revision BIGINT,
  id UUID,
  happened_at TIMESTAMP,
  of_arm BOOLEAN,
  engineer VARCHAR,
  model VARCHAR,
  context VARCHAR,
  context_event UUID,
  context_form VARCHAR,
  answers BIGINT,
  sample BIGINT,
  usage MAP(VARCHAR, DOUBLE),
  cost DOUBLE,
  currency VARCHAR,
  reason VARCHAR,
  error VARCHAR,
  raw VARCHAR
);

-- fill from ProposalErrored
INSERT INTO log.errors
SELECT
  run_id, stage, revision, id, happened_at, false, data.engineer.name,
  data.engineer.model, data.context.digest, try_cast(data.context.event AS UUID), data.context.contextForm,
  len(data.answers), data.sample, from_json(data.usage, '"MAP(VARCHAR, DOUBLE)"'), data.cost.total, data.cost.currency,
  data.error.kind, data.error.message, data.raw ->> '$.text'
FROM batch;

-- fill from ArmErrored
INSERT INTO log.errors
SELECT
  run_id, stage, revision, id, happened_at, true, data.engineer.name,
  data.engineer.model, data.context.digest, try_cast(data.context.event AS UUID), data.context.contextForm,
  len(data.answers), data.sample, from_json(data.usage, '"MAP(VARCHAR, DOUBLE)"'), data.cost.total, data.cost.currency,
  data.error.kind, data.error.message, data.raw ->> '$.text'
FROM batch WHERE data.during = 'propose';

CREATE VIEW proposals AS
WITH
answered AS (
  SELECT
    * EXCLUDE (knobs, changes, kept, clamps, predictions), 'accepted' AS outcome,
    len(changes) AS changes, len(kept) AS kept, len(clamps) AS clamps, len(predictions) AS predictions,
    list_sort(list_distinct(list_concat(
      flatten(list_transform(changes, lambda one: one.cites)), flatten(list_transform(kept, lambda one: one.cites))
    ))) AS cites
  FROM log.proposals
  UNION ALL BY NAME
  SELECT *, 'rejected' AS outcome FROM log.rejections
  UNION ALL BY NAME
  SELECT *, 'errored' AS outcome FROM log.errors
),
adopted AS (SELECT DISTINCT proposal FROM log.decisions WHERE proposal IS NOT NULL),
decided AS (SELECT run_id, stage, max(revision) AS revision FROM log.decisions GROUP BY run_id, stage)
SELECT
  n.run, p.stage, p.stage - 1 AS evidence_through, p.outcome, p.reason, p.error, d.proposal IS NOT NULL AS adopted,
  coalesce(NOT p.of_arm AND p.revision > c.revision, false) AS side_question, p.engineer, p.model, p.context_form,
  p.rationale, p.changes, p.kept, p.clamps, p.cites, p.predictions, p.citation, p.preservation, p.usable, p.brier,
  p.rank_correlation, try_cast(p.usage['input'] AS BIGINT) AS input_tokens,
  try_cast(p.usage['output'] AS BIGINT) AS output_tokens, p.cost, p.currency,
  p.issues, p.raw, p.answers, p.sample, p.usage, p.configuration, p.context, p.context_event, a.ablation, a.arm, a.unit,
  p.happened_at, p.id, p.run_id
FROM answered AS p
LEFT JOIN adopted AS d ON d.proposal = p.id
LEFT JOIN decided AS c ON c.run_id = p.run_id AND c.stage = p.stage
LEFT JOIN log.arm_events AS a ON a.id = p.id
LEFT JOIN log.run_names AS n ON n.run_id = p.run_id;
