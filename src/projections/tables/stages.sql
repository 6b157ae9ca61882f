-- Stages: what runs recorded of each of their stages. For the stages a fork shares, see lineage.
--
--   run              the run
--   stage            its stage, from 1
--   state            completed; otherwise the state of the run: running, stopped, failed, recorded
--   configuration    the digest of the configuration in force; table configs has its knobs
--   decided_by       who decided it: engineer, human, initial, kept (no proposal could be used, so it stays), errored
--                    (the engineer could not answer, so it stays)
--   engineer         the engineer that was asked, or the person
--   valid            the valid rate in its validation
--   valid_low        the lower end of its 95 % interval
--   valid_high       the upper end
--   optimal          the optimal rate
--   agent_steps      agent steps of training
--   updates          updates of the trainer
--   started_at       when it began (UTC)
--   completed_at     when it was complete (UTC)
--   seconds          how long it took
--   alerts           what a person should look at: forgetting, or a collapse of the learning signal
--   checkpoint_from  the checkpoint training started from; null: from nothing
--   checkpoint_to    the checkpoint after training
--   budgets          its budget, by unit: budgets['agent-steps']
--   spent            what it spent, by unit
--   seed             its seed
--   shards           number of shards of its rollouts
--   adoption         the decision: decisions.id
--   id               the event that began it
--   run_id           the identity of the run

CREATE TABLE log.stage_starts (
  run_id VARCHAR,
  stage BIGINT,
  revision BIGINT,
  id UUID,
  happened_at TIMESTAMP,
  checkpoint VARCHAR,
  seed VARCHAR,
  budgets MAP(VARCHAR, DOUBLE),
  shards BIGINT
);

-- fill from StageStarted
INSERT INTO log.stage_starts
SELECT
  run_id, stage, revision, id, happened_at, coalesce(data.checkpoint.digest, data.checkpoint.reference),
  data.seed ->> '$', from_json(data.budget, '"MAP(VARCHAR, DOUBLE)"'), data.shards
FROM batch;

CREATE TABLE log.stage_ends (
  run_id VARCHAR,
  stage BIGINT,
  revision BIGINT,
  happened_at TIMESTAMP,
  checkpoint VARCHAR,
  spent MAP(VARCHAR, DOUBLE)
);

-- fill from StageCompleted
INSERT INTO log.stage_ends
SELECT
  run_id, stage, revision, happened_at, coalesce(data.checkpoint.digest, data.checkpoint.reference),
  from_json(data.spent, '"MAP(VARCHAR, DOUBLE)"')
FROM batch;

CREATE VIEW stages AS
WITH
starts AS (
  SELECT * FROM log.stage_starts QUALIFY row_number() OVER (PARTITION BY run_id, stage ORDER BY revision) = 1
),
ends AS (
  SELECT * FROM log.stage_ends QUALIFY row_number() OVER (PARTITION BY run_id, stage ORDER BY revision DESC) = 1
),
trainings AS (SELECT run_id, stage, max(revision) AS revision FROM log.training WHERE NOT of_arm GROUP BY run_id, stage),
-- Each alert once, from the last event that raised it.
raised AS (
  SELECT
    run_id, stage,
    list({
      'kind': kind, 'family': family, 'measure': measure, 'before_value': before_value, 'now_value': now_value
    } ORDER BY revision, kind, family, measure) AS alerts
  FROM (
    SELECT a.* FROM log.raised_alerts AS a
    LEFT JOIN trainings AS t ON t.run_id = a.run_id AND t.stage = a.stage
    WHERE starts_with(a.stream, 'run-') AND (a.type <> 'TrainingRecorded' OR a.revision = t.revision)
    QUALIFY
      row_number() OVER (PARTITION BY a.run_id, a.stage, a.kind, a.family, a.measure ORDER BY a.revision DESC) = 1
  )
  GROUP BY run_id, stage
)
SELECT
  h.run, h.stage,
  CASE WHEN e.run_id IS NOT NULL THEN 'completed' WHEN g.state = 'completed' THEN 'recorded' ELSE g.state END AS state,
  c.configuration, d.decided_by, w.engineer, v.valid, v.valid_low, v.valid_high, v.optimal,
  -- StageCompleted repeats what the training spent; an incomplete or imported stage has it only in the training.
  try_cast(coalesce(e.spent, t.spent)['agent-steps'] AS BIGINT) AS agent_steps,
  try_cast(coalesce(e.spent, t.spent)['updates'] AS BIGINT) AS updates,
  s.happened_at AS started_at, e.happened_at AS completed_at,
  (epoch_ms(e.happened_at) - epoch_ms(s.happened_at)) / 1000 AS seconds,
  coalesce(r.alerts, []) AS alerts, coalesce(s.checkpoint, t.from_checkpoint) AS checkpoint_from,
  coalesce(e.checkpoint, t.checkpoint) AS checkpoint_to, s.budgets, coalesce(e.spent, t.spent) AS spent, s.seed,
  s.shards, h.decision AS adoption, s.id, h.run_id
FROM log.course AS h
JOIN log.standing AS g ON g.run = h.run AND g.run_id = h.run_id
LEFT JOIN starts AS s ON s.run_id = h.run_id AND s.stage = h.stage
LEFT JOIN ends AS e ON e.run_id = h.run_id AND e.stage = h.stage
LEFT JOIN log.training AS t ON t.id = h.training
LEFT JOIN raised AS r ON r.run_id = h.run_id AND r.stage = h.stage
LEFT JOIN log.configurations AS c ON c.id = h.configuration
LEFT JOIN log.adoptions AS d ON d.id = h.decision
LEFT JOIN log.deciders AS w ON w.id = h.decision
LEFT JOIN log.rated AS v ON v.id = h.validation AND v.family IS NULL
WHERE h.recorder = h.run_id;
