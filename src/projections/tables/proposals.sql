-- Proposals: what engineers answered when they were asked for the next configuration, also where it could not be used or an
-- error kept them from answering, and also those of an ablation's arms, which have an ablation, an arm and a unit.
--
--   run          the run; of an arm, the run whose history it replays
--   stage        the stage that was over when it was asked for
--   for_stage    the stage it is meant for
--   outcome      accepted, rejected, or errored: there was no answer
--   reason       why it was rejected: empty, unreadable, invalid, impossible, refused; or errored: crashed, timeout, unavailable
--   error        what kept its engineer from answering
--   adopted      whether its configuration was adopted
--   side_question  whether it came when the configuration of its stage was decided already: it had no part in that
--   engineer     who was asked
--   model        the model the engineer asks
--   form         the form of the context it was shown; null where none was shown
--   says         the reasoning as a whole; null where it was left out
--   changes      how many knobs it turns
--   kept         how many knobs it keeps on purpose; null where it does not say
--   clamps       how many proposed values were moved to allowed ones
--   cited        the evidence labels it cites, each once
--   predictions  how many rates it predicts; null where it predicts none
--   citation     citation score: how much of the evidence cited bears on its change, corrected for chance; 1 at best
--   preservation   preservation score: the share of working families that are kept
--   valid        score: 1: parsed, in range, no clamps
--   brier        score of its predictions against results held back: 0 is best
--   rank_correlation  whether it ranks the families as those results do: 1 is best
--   input_tokens  tokens it was asked with
--   output_tokens  tokens it answered
--   cost         what it cost
--   currency     in which currency
--   issues       what was wrong with it, field by field
--   raw          the last raw answer of one that was rejected or errored, where the event holds it
--   answers      how many answers of a model it took, repairs included
--   sample       which of several proposals to the same question
--   usage        tokens by kind: usage['input']
--   configuration  the digest of the configuration it proposes
--   context      the digest of what was shown
--   context_event  the event that has that context
--   ablation     the ablation; null where it is of a run
--   arm          its arm
--   unit         the unit of analysis: arms are paired within it
--   happened_at  when it was made (UTC)
--   id           the event: icecore event ID shows it whole
--   run_id       the identity of the run

CREATE TABLE log.proposals (
  run_id VARCHAR,
  stage BIGINT,
  revision BIGINT,
  id UUID,
  happened_at TIMESTAMP,
  of_arm BOOLEAN,
  for_stage BIGINT,
  engineer VARCHAR,
  model VARCHAR,
  context VARCHAR,
  context_event UUID,
  form VARCHAR,
  answers BIGINT,
  sample BIGINT,
  usage MAP(VARCHAR, DOUBLE),
  cost DOUBLE,
  currency VARCHAR,
  configuration VARCHAR,
  knobs STRUCT(knob VARCHAR, family VARCHAR, "value" DOUBLE)[],
  changes STRUCT(knob VARCHAR, family VARCHAR, "from" DOUBLE, "to" DOUBLE, because VARCHAR[], says VARCHAR)[],
  kept STRUCT(knob VARCHAR, family VARCHAR, because VARCHAR[], says VARCHAR)[],
  clamps STRUCT(knob VARCHAR, family VARCHAR, proposed DOUBLE, used DOUBLE, "rule" VARCHAR)[],
  says VARCHAR,
  predictions STRUCT(family VARCHAR, measure VARCHAR, "value" DOUBLE)[],
  citation DOUBLE,
  preservation DOUBLE,
  valid DOUBLE,
  brier DOUBLE,
  rank_correlation DOUBLE
);

-- fill from ProposalRecorded, ArmProposed
INSERT INTO log.proposals
SELECT
  run_id, stage, revision, id, happened_at, type = 'ArmProposed', data.forStage, data.engineer.name,
  data.engineer.model, data.context.digest, try_cast(data.context.event AS UUID), data.context.form,
  len(data.answers), data.sample, from_json(data.usage, '"MAP(VARCHAR, DOUBLE)"'), data.cost.total, data.cost.currency,
  data.configuration.digest, data.configuration.knobs, data.changes, data.kept, data.clamps, data.says,
  data.predictions, try_cast(data.scores.citation AS DOUBLE), try_cast(data.scores.preservation AS DOUBLE),
  try_cast(data.scores.valid AS DOUBLE), try_cast(data.scores.calibration.brier AS DOUBLE),
  try_cast(data.scores.calibration.rankCorrelation AS DOUBLE)
FROM batch;

CREATE TABLE log.rejections (
  run_id VARCHAR,
  stage BIGINT,
  revision BIGINT,
  id UUID,
  happened_at TIMESTAMP,
  of_arm BOOLEAN,
  for_stage BIGINT,
  engineer VARCHAR,
  model VARCHAR,
  context VARCHAR,
  context_event UUID,
  form VARCHAR,
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
  run_id, stage, revision, id, happened_at, type = 'ArmRejected', data.forStage, data.engineer.name,
  data.engineer.model, data.context.digest, try_cast(data.context.event AS UUID), data.context.form,
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
  for_stage BIGINT,
  engineer VARCHAR,
  model VARCHAR,
  context VARCHAR,
  context_event UUID,
  form VARCHAR,
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
  run_id, stage, revision, id, happened_at, false, data.forStage, data.engineer.name,
  data.engineer.model, data.context.digest, try_cast(data.context.event AS UUID), data.context.form,
  len(data.answers), data.sample, from_json(data.usage, '"MAP(VARCHAR, DOUBLE)"'), data.cost.total, data.cost.currency,
  data.error.kind, data.error.message, data.raw ->> '$.text'
FROM batch;

-- fill from ArmErrored
INSERT INTO log.errors
SELECT
  run_id, stage, revision, id, happened_at, true, data.forStage, data.engineer.name,
  data.engineer.model, data.context.digest, try_cast(data.context.event AS UUID), data.context.form,
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
      flatten(list_transform(changes, lambda one: one.because)), flatten(list_transform(kept, lambda one: one.because))
    ))) AS cited
  FROM log.proposals
  UNION ALL BY NAME
  SELECT *, 'rejected' AS outcome FROM log.rejections
  UNION ALL BY NAME
  SELECT *, 'errored' AS outcome FROM log.errors
),
adopted AS (SELECT DISTINCT proposal FROM log.adoptions WHERE proposal IS NOT NULL),
decided AS (SELECT run_id, for_stage, max(revision) AS revision FROM log.adoptions GROUP BY run_id, for_stage)
SELECT
  n.run, p.stage, p.for_stage, p.outcome, p.reason, p.error, d.proposal IS NOT NULL AS adopted,
  coalesce(NOT p.of_arm AND p.revision > c.revision, false) AS side_question, p.engineer, p.model, p.form,
  p.says, p.changes, p.kept, p.clamps, p.cited, p.predictions, p.citation, p.preservation, p.valid, p.brier,
  p.rank_correlation, try_cast(p.usage['input'] AS BIGINT) AS input_tokens,
  try_cast(p.usage['output'] AS BIGINT) AS output_tokens, p.cost, p.currency,
  p.issues, p.raw, p.answers, p.sample, p.usage, p.configuration, p.context, p.context_event, a.ablation, a.arm, a.unit,
  p.happened_at, p.id, p.run_id
FROM answered AS p
LEFT JOIN adopted AS d ON d.proposal = p.id
LEFT JOIN decided AS c ON c.run_id = p.run_id AND c.for_stage = p.for_stage
LEFT JOIN log.arm_events AS a ON a.id = p.id
LEFT JOIN log.run_names AS n ON n.run_id = p.run_id;
