-- Runs: every run with any events, including those with only evidence or a note. Arms of ablations of depth run are
-- runs, too: ablation IS NULL leaves them out.

-- filled from decisions
CREATE TABLE log.runs (
  owner VARCHAR,
  name VARCHAR,
  environment VARCHAR,          -- the environment
  engineer VARCHAR,             -- the engineer
  model VARCHAR,                -- the model the engineer asks
  context_form VARCHAR,         -- the preset of context modules it is shown, or else the modules
  policy VARCHAR,               -- the policy
  trainer VARCHAR,              -- the trainer
  seed VARCHAR,                 -- the seed
  planned BIGINT,               -- number of planned stages
  done BIGINT,
  budget BIGINT,                -- agent steps of training per stage
  valid DOUBLE,                 -- the valid rate in the last validation
  valid_low DOUBLE,             -- the lower end of its 95 % interval
  valid_high DOUBLE,            -- the upper end
  optimal DOUBLE,               -- the optimal rate
  validated BIGINT,             -- the stage of that validation
  parent VARCHAR,
  parent_stage BIGINT,          -- the last stage of that history
  parent_revision BIGINT,
  ablation VARCHAR,             -- the ablation it is an arm of
  arm VARCHAR,                  -- that arm
  tags VARCHAR[],
  completed BOOLEAN,
  failed_in BIGINT,             -- the stage it failed in, before a decision the last complete one; null where it did not fail, or
                                -- resumed since
  failure VARCHAR,              -- the kind of error, or who stopped it
  failure_message VARCHAR,      -- the message of the error
  started_at TIMESTAMP,         -- when it started (UTC)
  ended_at TIMESTAMP,           -- when it completed or failed (UTC)
  notes VARCHAR,                -- what it is for
  modules VARCHAR[],            -- the context modules of the form, in order
  reads VARCHAR[],              -- the modules its engineer can use
  budgets MAP(VARCHAR, DOUBLE), -- the budget per stage, by unit: budgets['agent-steps']
  code VARCHAR,                 -- the version of icecore that started it
  code_commit VARCHAR,          -- its commit
  source VARCHAR,               -- the tool it was imported from
  options JSON,                 -- every option as it was resolved, as JSON
  run_id VARCHAR
);

-- fill from RunClaimed
CREATE TABLE log.run_claims (
  run_id VARCHAR,
  revision BIGINT,
  recorded_at TIMESTAMP,
  fencing_token BIGINT AS (data.fencingToken),
  seconds DOUBLE AS (data.leaseSeconds)
);

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

-- Recorders of evidence: runs, and ablations for their arms, whose rollouts must not be taken for those of a run with this name.
CREATE VIEW log.recorders AS
WITH named AS (
  SELECT run_id, run, true AS is_run FROM log.run_names
  UNION ALL
  SELECT ablation, coalesce(name, ablation), false FROM log.ablations
  WHERE ablation NOT IN (SELECT run_id FROM log.run_names WHERE run_id IS NOT NULL)
)
SELECT
  run_id, CASE WHEN NOT is_run AND count(*) OVER (PARTITION BY run) > 1 THEN run || '~' || run_id ELSE run END AS run
FROM named;

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
  s.run,                               -- the name of the run; with its identity where several have the same name
  s.state,                             -- completed; failed; running: a process holds its claim; stopped: no process
                                       -- does; recorded: it came from elsewhere and was never claimed
  r.environment, r.engineer, r.model, r.context_form, r.policy, r.trainer, r.seed, r.planned,
  coalesce(r.done, 0) AS done,         -- number of complete stages, those of a shared history included
  r.budget, r.valid, r.valid_low, r.valid_high, r.optimal, r.validated,
  coalesce(p.run, r.parent) AS parent, -- the run whose history it shares; null where it is not a fork
  r.parent_stage, r.ablation, r.arm,
  coalesce(list_sort(list_distinct(list_concat(r.tags, noted.tags))), []) AS tags, -- its tags, by its settings and by
                                       -- notes on the run as a whole
  r.failed_in, r.failure, r.failure_message, r.started_at, r.ended_at,
  heard.last_event_at,                 -- when its last event happened (UTC), evidence and answers of models aside
  r.notes, r.modules, r.reads, r.budgets, r.code, r.code_commit, r.source, r.options,
  s.run_id,                            -- its identity
  r.parent AS parent_id                -- the identity of the run whose history it shares
FROM log.standing AS s
LEFT JOIN log.runs AS r ON r.run_id = s.run_id
LEFT JOIN log.run_names AS p ON p.run_id = r.parent
LEFT JOIN noted ON noted.run_id = s.run_id
LEFT JOIN heard ON heard.run_id = s.run_id;
