-- Runs: every run with any events, including those with only evidence or a note.
--
--   run              the name of the run; with its identity where several have the same name
--   state            completed; failed; running: a process holds its claim; stopped: no process does; recorded: it
--                    came from elsewhere and was never claimed
--   environment      the environment
--   engineer         the engineer
--   model            the model the engineer asks
--   context_form     the preset of context modules it is shown, or else the modules
--   policy           the policy
--   trainer          the trainer
--   seed             the seed
--   planned          number of planned stages
--   done             number of complete stages, those of a shared history included
--   budget           agent steps of training per stage
--   valid            the valid rate in the last validation
--   valid_low        the lower end of its 95 % interval
--   valid_high       the upper end
--   optimal          the optimal rate
--   validated        the stage of that validation
--   parent           the run whose history it shares; null where it is not a fork
--   parent_stage     the last stage of that history
--   ablation         the ablation it is an arm of
--   arm              that arm
--   tags             its tags, by its settings and by notes on the run as a whole
--   failed_in        the stage it failed in; null where it did not fail, or resumed since
--   failure          the kind of error, or who stopped it
--   failure_message  the message of the error
--   started_at       when it began (UTC)
--   ended_at         when it completed or failed (UTC)
--   last_event_at    when its last event happened (UTC), evidence and answers of models aside
--   notes            what it is for
--   modules          the context modules of the form, in order
--   reads            the modules its engineer can use
--   budgets          the budget per stage, by unit: budgets['agent-steps']
--   code             the version of icecore that began it
--   code_commit      its commit
--   source           the tool it was imported from
--   options          every option as it was resolved, as JSON
--   run_id           its identity
--   parent_id        the identity of the run whose history it shares

-- filled from decisions
CREATE TABLE log.runs (
  owner VARCHAR,
  name VARCHAR,
  environment VARCHAR,
  engineer VARCHAR,
  model VARCHAR,
  context_form VARCHAR,
  policy VARCHAR,
  trainer VARCHAR,
  seed VARCHAR,
  planned BIGINT,
  done BIGINT,
  budget BIGINT,
  valid DOUBLE,
  valid_low DOUBLE,
  valid_high DOUBLE,
  optimal DOUBLE,
  validated BIGINT,
  parent VARCHAR,
  parent_stage BIGINT,
  parent_revision BIGINT,
  ablation VARCHAR,
  arm VARCHAR,
  tags VARCHAR[],
  completed BOOLEAN,
  failed_in BIGINT,
  failure VARCHAR,
  failure_message VARCHAR,
  started_at TIMESTAMP,
  ended_at TIMESTAMP,
  notes VARCHAR,
  modules VARCHAR[],
  reads VARCHAR[],
  budgets MAP(VARCHAR, DOUBLE),
  code VARCHAR,
  code_commit VARCHAR,
  source VARCHAR,
  options JSON,
  run_id VARCHAR
);

CREATE TABLE log.run_claims (
  run_id VARCHAR,
  revision BIGINT,
  recorded_at TIMESTAMP,
  fencing_token BIGINT,
  seconds DOUBLE
);

-- fill from RunClaimed
INSERT INTO log.run_claims SELECT run_id, revision, recorded_at, data.fencingToken, data.leaseSeconds FROM batch;

-- Runs are shown by name; where several have the same name, by name and identity. An imported run may have no name. A claim
-- alone makes no run: ablations are claimed the same way.
CREATE VIEW log.run_names AS
WITH
-- Arms of ablations record evidence under the identity of their ablation, which is no run.
known AS (
  SELECT DISTINCT run_id FROM log.streams
  WHERE run_id IS NOT NULL AND kind <> 'work'
    AND NOT (kind = 'evidence' AND run_id IN (SELECT ablation FROM log.ablations WHERE ablation IS NOT NULL))
)
SELECT
  run_id,
  CASE WHEN name IS NULL THEN run_id WHEN count(*) OVER (PARTITION BY name) > 1 THEN name || '~' || run_id ELSE name END AS run
FROM known LEFT JOIN log.runs USING (run_id);

-- Recorders of evidence: runs, and ablations for their arms.
CREATE VIEW log.recorders AS
SELECT run_id, run FROM log.run_names
UNION ALL
SELECT ablation, name FROM log.ablations
WHERE ablation NOT IN (SELECT run_id FROM log.run_names WHERE run_id IS NOT NULL);

-- No event says whether the process that claims a run is alive; a claim whose lease has expired does not count.
CREATE VIEW log.standing AS
WITH claimed AS (
  SELECT
    run_id, arg_max(seconds > 0 AND epoch_ms(recorded_at) + 1000 * seconds > epoch_ms(now()), (fencing_token, revision)) AS held
  FROM log.run_claims GROUP BY run_id
)
SELECT
  n.run_id, n.run,
  CASE
    WHEN r.completed THEN 'completed'
    WHEN c.held THEN 'running'
    WHEN r.failure = 'interrupted' THEN 'stopped'
    WHEN r.failure IS NOT NULL THEN 'failed'
    WHEN c.run_id IS NULL THEN 'recorded'
    ELSE 'stopped'
  END AS state
FROM log.run_names AS n
LEFT JOIN log.runs AS r ON r.run_id = n.run_id
LEFT JOIN claimed AS c ON c.run_id = n.run_id;

CREATE VIEW runs AS
WITH
noted AS (SELECT run_id, flatten(list(tags)) AS tags FROM log.notes WHERE stage IS NULL GROUP BY run_id),
heard AS (
  SELECT run_id, max(happened_at) AS last_event_at FROM log.events WHERE run_id IS NOT NULL GROUP BY run_id
)
SELECT
  s.run, s.state, r.environment, r.engineer, r.model, r.context_form, r.policy, r.trainer, r.seed, r.planned,
  coalesce(r.done, 0) AS done, r.budget, r.valid, r.valid_low, r.valid_high, r.optimal, r.validated,
  coalesce(p.run, r.parent) AS parent, r.parent_stage, r.ablation, r.arm,
  coalesce(list_sort(list_distinct(list_concat(r.tags, noted.tags))), []) AS tags,
  r.failed_in, r.failure, r.failure_message, r.started_at, r.ended_at, heard.last_event_at, r.notes, r.modules, r.reads,
  r.budgets, r.code, r.code_commit, r.source, r.options, s.run_id, r.parent AS parent_id
FROM log.standing AS s
LEFT JOIN log.runs AS r ON r.run_id = s.run_id
LEFT JOIN log.run_names AS p ON p.run_id = r.parent
LEFT JOIN noted ON noted.run_id = s.run_id
LEFT JOIN heard ON heard.run_id = s.run_id;
