-- Decisions: the configurations that were adopted, one row each, and how they came about. Their changes are in
-- knob_changes.
--
--   run            the run
--   stage          the stage being configured
--   in_force       whether it holds: of several for one stage the last does
--   decided_by     engineer, human, initial, kept (no proposal could be used, so the configuration stays), errored
--                  (the engineer could not answer, so the configuration stays)
--   engineer       the engineer that was asked, or the person
--   context_form   the context form it was shown
--   changes        number of changes it gives reasons for
--   kept           number of knobs it keeps on purpose; null where it does not say
--   clamps         number of proposed values that were moved to allowed ones
--   rationale      the reasoning as a whole
--   configuration  the digest of the adopted configuration
--   previous       the digest of the configuration it replaces
--   proposal       the proposal it comes from: proposals.id
--   context        the digest of the context its reasons cite
--   context_event  the event with that context
--   actor          who adopted it, as kind/identity
--   happened_at    when (UTC)
--   id             the event: icecore event show ID shows it whole
--   run_id         the identity of the run

CREATE TABLE log.adoptions (
  run_id VARCHAR,
  revision BIGINT,
  id UUID,
  happened_at TIMESTAMP,
  actor VARCHAR,
  causes UUID[],
  stage BIGINT,
  decided_by VARCHAR,
  proposal UUID,
  context VARCHAR,
  context_event UUID,
  context_form VARCHAR,
  configuration VARCHAR,
  previous VARCHAR,
  changes STRUCT(knob VARCHAR, family VARCHAR, "from" DOUBLE, "to" DOUBLE, cites VARCHAR[], reason VARCHAR)[],
  kept BIGINT,
  clamps STRUCT(knob VARCHAR, family VARCHAR, proposed DOUBLE, used DOUBLE, "rule" VARCHAR)[],
  rationale VARCHAR
);

-- fill from ConfigAdopted
INSERT INTO log.adoptions
SELECT
  run_id, revision, id, happened_at, actor,
  try_cast(json_extract_string(causes, '$[*].event') AS UUID[]),
  stage, data.by, try_cast(data.proposal AS UUID), data.context.digest, try_cast(data.context.event AS UUID),
  data.context.contextForm, data.configuration.digest, data.previous, data.changes, len(data.kept), data.clamps, data.rationale
FROM batch;

-- Who was asked for each decision: the engineer whose proposal was adopted, or else the one whose answer was rejected or
-- errored: the one the decision names as its cause, or else the last, rejections before errors. A fork may decide on answers
-- its parent got.
CREATE VIEW log.deciders AS
WITH
answers AS (
  SELECT run_id, stage, revision, id, engineer, 2 AS kind FROM log.proposals WHERE NOT of_arm
  UNION ALL
  SELECT run_id, stage, revision, id, engineer, 1 FROM log.rejections WHERE NOT of_arm
  UNION ALL
  SELECT run_id, stage, revision, id, engineer, 0 FROM log.errors WHERE NOT of_arm
),
asked AS (
  SELECT
    a.id,
    arg_max(p.engineer, (p.kind = 2, list_contains(a.causes, p.id), p.kind, -l.depth, p.revision)) AS engineer
  FROM log.adoptions AS a
  JOIN log.ancestors AS l ON l.run_id = a.run_id
  JOIN answers AS p
    ON p.run_id = l.ancestor AND p.stage = a.stage AND p.revision <= l.upto
      AND (l.last_stage IS NULL OR p.stage <= l.last_stage + 1)
  -- An answer after the decision was a side question.
  WHERE p.id = a.proposal OR p.kind < 2 AND (l.depth > 0 OR p.revision < a.revision)
  GROUP BY a.id
)
SELECT a.id, CASE WHEN a.decided_by = 'human' THEN a.actor ELSE p.engineer END AS engineer
FROM log.adoptions AS a LEFT JOIN asked AS p ON p.id = a.id;

CREATE VIEW decisions AS
SELECT
  n.run, d.stage, d.revision = max(d.revision) OVER (PARTITION BY d.run_id, d.stage) AS in_force, d.decided_by,
  w.engineer, d.context_form, len(d.changes) AS changes, d.kept, len(d.clamps) AS clamps, d.rationale, d.configuration, d.previous,
  d.proposal, d.context, d.context_event, d.actor, d.happened_at, d.id, d.run_id
FROM log.adoptions AS d
LEFT JOIN log.deciders AS w ON w.id = d.id
JOIN log.run_names AS n ON n.run_id = d.run_id;
