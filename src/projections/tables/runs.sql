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

CREATE TABLE log.run_starts (
  run_id VARCHAR,
  revision BIGINT,
  happened_at TIMESTAMP,
  name VARCHAR,
  environment VARCHAR,
  engineer VARCHAR,
  model VARCHAR,
  reads VARCHAR[],
  context_form VARCHAR,
  modules VARCHAR[],
  policy VARCHAR,
  trainer VARCHAR,
  seed VARCHAR,
  stages BIGINT,
  budgets MAP(VARCHAR, DOUBLE),
  parent VARCHAR,
  parent_stage BIGINT,
  parent_revision BIGINT,
  ablation VARCHAR,
  arm VARCHAR,
  tags VARCHAR[],
  notes VARCHAR,
  code VARCHAR,
  code_commit VARCHAR,
  source VARCHAR,
  options JSON
);

-- fill from RunStarted
INSERT INTO log.run_starts
SELECT
  run_id, revision, happened_at, data.name, data.environment.name, data.engineer.name, data.engineer.model,
  data.engineer.reads, coalesce(data.contextForm.name, array_to_string(data.contextForm.modules, '+')), data.contextForm.modules,
  data.policy.name, data.trainer.name, data.seed ->> '$', data.stages,
  from_json(data.budget, '"MAP(VARCHAR, DOUBLE)"'), data.parent.run, data.parent.stage, data.parent.revision,
  data.arm.ablation, data.arm.arm, data.tags, data.notes, data.code.version, data.code.commit, data.source.tool,
  data.options
FROM batch;

CREATE TABLE log.run_ends (
  run_id VARCHAR,
  revision BIGINT,
  happened_at TIMESTAMP
);

-- fill from RunCompleted
INSERT INTO log.run_ends SELECT run_id, revision, happened_at FROM batch;

CREATE TABLE log.run_failures (
  run_id VARCHAR,
  revision BIGINT,
  happened_at TIMESTAMP,
  stage BIGINT,
  reason VARCHAR,
  message VARCHAR
);

-- fill from RunFailed
INSERT INTO log.run_failures SELECT run_id, revision, happened_at, stage, data.reason, data.message FROM batch;

CREATE TABLE log.run_claims (
  run_id VARCHAR,
  revision BIGINT,
  recorded_at TIMESTAMP,
  fencing_token BIGINT,
  seconds DOUBLE
);

-- fill from RunClaimed
INSERT INTO log.run_claims SELECT run_id, revision, recorded_at, data.fencingToken, data.leaseSeconds FROM batch;

-- The last of several RunStarted events of a run holds.
CREATE VIEW log.begun_runs AS
SELECT * FROM log.run_starts WHERE run_id IS NOT NULL
QUALIFY row_number() OVER (PARTITION BY run_id ORDER BY revision DESC) = 1;

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
FROM known LEFT JOIN log.begun_runs USING (run_id);

-- Recorders of evidence: runs, and ablations for their arms.
CREATE VIEW log.recorders AS
SELECT run_id, run FROM log.run_names
UNION ALL
SELECT ablation, coalesce(name, ablation) FROM log.begun_ablations
WHERE ablation NOT IN (SELECT run_id FROM log.run_names WHERE run_id IS NOT NULL);

-- A failure followed by another event is over: the run was resumed.
CREATE VIEW log.failed_runs AS
SELECT f.* FROM log.run_failures AS f JOIN log.streams AS s ON s.stream = 'run-' || f.run_id AND s.last = f.revision;

-- No event says whether the process that claims a run is alive; a claim whose lease has expired does not count.
CREATE VIEW log.standing AS
WITH
claimed AS (
  SELECT
    run_id, arg_max(seconds > 0 AND epoch_ms(recorded_at) + 1000 * seconds > epoch_ms(now()), (fencing_token, revision)) AS held
  FROM log.run_claims GROUP BY run_id
),
completed AS (SELECT run_id, max(happened_at) AS ended_at FROM log.run_ends GROUP BY run_id)
SELECT
  n.run_id, n.run,
  CASE
    WHEN e.run_id IS NOT NULL THEN 'completed'
    WHEN c.held THEN 'running'
    WHEN f.reason = 'interrupted' THEN 'stopped'
    WHEN f.run_id IS NOT NULL THEN 'failed'
    WHEN c.run_id IS NULL THEN 'recorded'
    ELSE 'stopped'
  END AS state,
  coalesce(e.ended_at, f.happened_at) AS ended_at, f.stage AS failed_in, f.reason AS failure, f.message AS failure_message
FROM log.run_names AS n
LEFT JOIN claimed AS c ON c.run_id = n.run_id
LEFT JOIN completed AS e ON e.run_id = n.run_id
LEFT JOIN log.failed_runs AS f ON f.run_id = n.run_id;

CREATE VIEW runs AS
WITH
noted AS (SELECT run_id, flatten(list(tags)) AS tags FROM log.notes WHERE stage IS NULL GROUP BY run_id),
-- The last validation may have no rate over all families; then none is shown.
passed AS (
  SELECT
    run, run_id, count(*) FILTER (completed) AS stages, max(stage) FILTER (validation IS NOT NULL) AS validated,
    arg_max(validation, stage) AS validation
  FROM log.course GROUP BY run, run_id
),
heard AS (
  SELECT run_id, max(happened_at) AS last_event_at FROM log.events WHERE run_id IS NOT NULL GROUP BY run_id
)
SELECT
  s.run, s.state, b.environment, b.engineer, b.model, b.context_form, b.policy, b.trainer, b.seed, b.stages AS planned,
  coalesce(passed.stages, 0) AS done, try_cast(b.budgets['agent-steps'] AS BIGINT) AS budget, v.valid, v.valid_low, v.valid_high, v.optimal,
  passed.validated, coalesce(p.run, b.parent) AS parent, b.parent_stage, b.ablation, b.arm,
  coalesce(list_sort(list_distinct(list_concat(b.tags, noted.tags))), []) AS tags,
  s.failed_in, s.failure, s.failure_message, b.happened_at AS started_at, s.ended_at, heard.last_event_at,
  b.notes, b.modules, b.reads, b.budgets, b.code, b.code_commit, b.source, b.options, s.run_id, b.parent AS parent_id
FROM log.standing AS s
LEFT JOIN log.begun_runs AS b ON b.run_id = s.run_id
LEFT JOIN log.run_names AS p ON p.run_id = b.parent
LEFT JOIN noted ON noted.run_id = s.run_id
LEFT JOIN passed ON passed.run = s.run AND passed.run_id = s.run_id
LEFT JOIN log.rated AS v ON v.id = passed.validation AND v.family IS NULL
LEFT JOIN heard ON heard.run_id = s.run_id;
