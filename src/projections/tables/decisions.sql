-- Decisions: the configurations that were adopted, a row each, and how they came about. What they changed stands in
-- knob_changes.
--
--   run            the run
--   for_stage      the stage it is for
--   in_force       whether it holds: of several for one stage the last does
--   decided_by     engineer, human, initial, kept: the configuration stays as no proposal could be used, or errored:
--                  it stays as its engineer could not answer
--   engineer       the engineer that was asked, or the person
--   form           the form of the context it was shown
--   changes        how many changes it gives reasons for
--   kept           how many knobs it keeps on purpose; null where it does not say
--   clamps         how many proposed values were moved to allowed ones
--   says           the reasoning as a whole
--   configuration  the digest of the configuration that was adopted
--   previous       the digest of the one it replaces
--   proposal       the proposal it comes from: proposals.id
--   context        the context its reasons cite: the digest of what was shown
--   context_event  the event that has that context
--   actor          who adopted it, as kind/identity
--   happened_at    when (UTC)
--   id             the event: icecore event ID shows it whole
--   run_id         the identity of the run

CREATE TABLE log.adoptions (
  run_id VARCHAR,
  revision BIGINT,
  id UUID,
  happened_at TIMESTAMP,
  actor VARCHAR,
  causes UUID[],
  for_stage BIGINT,
  decided_by VARCHAR,
  proposal UUID,
  context VARCHAR,
  context_event UUID,
  form VARCHAR,
  configuration VARCHAR,
  previous VARCHAR,
  changes STRUCT(knob VARCHAR, family VARCHAR, "from" DOUBLE, "to" DOUBLE, because VARCHAR[], says VARCHAR)[],
  kept BIGINT,
  clamps STRUCT(knob VARCHAR, family VARCHAR, proposed DOUBLE, used DOUBLE, "rule" VARCHAR)[],
  says VARCHAR
);

-- fill from ConfigAdopted
INSERT INTO log.adoptions
SELECT
  run_id, revision, id, happened_at, actor,
  try_cast(json_extract_string(causes, '$[*].event') AS UUID[]),
  data.forStage, data.by, try_cast(data.proposal AS UUID), data.context.digest, try_cast(data.context.event AS UUID),
  data.context.form, data.configuration.digest, data.previous, data.changes, len(data.kept), data.clamps, data.says
FROM batch;

-- Who was asked for each decision: the engineer whose proposal was adopted, or else the one whose answer could not be used or
-- who could not answer, the last where the decision does not say which, and before an error a rejection. A fork may decide
-- upon what its parent was answered.
CREATE VIEW log.deciders AS
WITH
answers AS (
  SELECT run_id, stage, revision, id, for_stage, engineer, 2 AS kind FROM log.proposals WHERE NOT of_arm
  UNION ALL
  SELECT run_id, stage, revision, id, for_stage, engineer, 1 FROM log.rejections
  WHERE NOT of_arm AND stage = for_stage - 1
  UNION ALL
  SELECT run_id, stage, revision, id, for_stage, engineer, 0 FROM log.errors
  WHERE NOT of_arm AND stage = for_stage - 1
),
asked AS (
  SELECT
    a.id,
    arg_max(p.engineer, (p.kind = 2, list_contains(a.causes, p.id), p.kind, -l.depth, p.revision)) AS engineer
  FROM log.adoptions AS a
  JOIN log.ancestors AS l ON l.run_id = a.run_id
  JOIN answers AS p
    ON p.run_id = l.ancestor AND p.for_stage = a.for_stage AND p.revision <= l.upto
      AND (l.last_stage IS NULL OR p.stage <= l.last_stage)
  -- What came after the decision was a side question.
  WHERE p.id = a.proposal OR p.kind < 2 AND (l.depth > 0 OR p.revision < a.revision)
  GROUP BY a.id
)
SELECT a.id, CASE WHEN a.decided_by = 'human' THEN a.actor ELSE p.engineer END AS engineer
FROM log.adoptions AS a LEFT JOIN asked AS p ON p.id = a.id;

CREATE VIEW decisions AS
SELECT
  n.run, d.for_stage, d.revision = max(d.revision) OVER (PARTITION BY d.run_id, d.for_stage) AS in_force, d.decided_by,
  w.engineer, d.form, len(d.changes) AS changes, d.kept, len(d.clamps) AS clamps, d.says, d.configuration, d.previous,
  d.proposal, d.context, d.context_event, d.actor, d.happened_at, d.id, d.run_id
FROM log.adoptions AS d
LEFT JOIN log.deciders AS w ON w.id = d.id
JOIN log.run_names AS n ON n.run_id = d.run_id;
