-- Runs: every run there is anything of, also of which there is only evidence or a note.
--
--   run            the run: its name; where several have the same, with its identity
--   state          completed; failed; running: somebody has it in hand, as far as its claim tells; stopped: nobody has;
--                  recorded: it came from elsewhere, so that nobody ever had it in hand
--   environment    the environment
--   engineer       who redesigns it
--   model          the model the engineer asks
--   form           the preset of context modules it is shown, or else the modules
--   policy         the policy
--   trainer        what trains it
--   seed           the seed
--   planned        how many stages are planned
--   done           how many stages are over, those of a shared history included
--   budget         decisions it may take in a stage
--   valid          the last validation: the share of tries that succeeded
--   valid_low      the lower end of its 95 % interval
--   valid_high     the upper end
--   optimal        the share of tries that were the best there is
--   validated      the stage that validation is of
--   parent         the run whose history it shares; null where it is no fork
--   parent_stage   the last stage of that history
--   ablation       the ablation it is an arm of
--   arm            that arm
--   tags           words it was tagged with, by its settings and by notes on the run as a whole
--   failed_in      the stage it failed in; null where it did not fail, or went on since
--   failure        the kind of fault, or who stopped it
--   failure_says   what the fault said
--   started_at     when it began (UTC)
--   ended_at       when it completed or failed (UTC)
--   last_event_at  when its last event happened (UTC), evidence and answers of models aside
--   says           what it is for
--   modules        the context modules of the form, in order
--   reads          the modules its engineer can use
--   budgets        what it may take in a stage, by unit: budgets['agentSteps']
--   code           the version of icecore that began it
--   code_commit    its commit
--   source         the tool it was imported from
--   options        every option as it was resolved, as JSON
--   run_id         its identity
--   parent_id      the identity of the run whose history it shares

CREATE TABLE log.run_starts (
  run_id VARCHAR,
  revision BIGINT,
  happened_at TIMESTAMP,
  name VARCHAR,
  environment VARCHAR,
  engineer VARCHAR,
  model VARCHAR,
  reads VARCHAR[],
  form VARCHAR,
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
  says VARCHAR,
  code VARCHAR,
  code_commit VARCHAR,
  source VARCHAR,
  options JSON
);

-- fill from RunStarted
INSERT INTO log.run_starts
SELECT
  run_id, revision, happened_at, data.name, data.environment.name, data.engineer.name, data.engineer.model,
  data.engineer.reads, coalesce(data.form.name, array_to_string(data.form.modules, '+')), data.form.modules,
  data.policy.name, data.trainer.name, data.seed ->> '$', data.stages,
  from_json(data.budget, '"MAP(VARCHAR, DOUBLE)"'), data.parent.run, data.parent.stage, data.parent.revision,
  data.arm.ablation, data.arm.arm, data.tags, data.says, data.code.version, data.code.commit, data.source.tool,
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
  says VARCHAR
);

-- fill from RunFailed
INSERT INTO log.run_failures SELECT run_id, revision, happened_at, stage, data.reason, data.message FROM batch;

CREATE TABLE log.run_claims (
  run_id VARCHAR,
  revision BIGINT,
  recorded_at TIMESTAMP,
  epoch BIGINT,
  seconds DOUBLE
);

-- fill from RunClaimed
INSERT INTO log.run_claims SELECT run_id, revision, recorded_at, data.epoch, data.leaseSeconds FROM batch;

-- Of what is said several times, the last holds.
CREATE VIEW log.begun_runs AS
SELECT * FROM log.run_starts WHERE run_id IS NOT NULL
QUALIFY row_number() OVER (PARTITION BY run_id ORDER BY revision DESC) = 1;

-- People know runs by name; where several have the same, by the name and the identity. A run that others recorded may have
-- no name. A claim alone makes no run: ablations are claimed the same way.
CREATE VIEW log.run_names AS
WITH
-- Arms of ablations have evidence, too, under the identity of their ablation, which is no run.
known AS (
  SELECT DISTINCT run_id FROM log.streams
  WHERE run_id IS NOT NULL AND kind <> 'work'
    AND NOT (kind = 'evidence' AND run_id IN (SELECT ablation FROM log.ablations WHERE ablation IS NOT NULL))
)
SELECT
  run_id,
  CASE WHEN name IS NULL THEN run_id WHEN count(*) OVER (PARTITION BY name) > 1 THEN name || '~' || run_id ELSE name END AS run
FROM known LEFT JOIN log.begun_runs USING (run_id);

-- Whoever records evidence: runs, and ablations for their arms.
CREATE VIEW log.recorders AS
SELECT run_id, run FROM log.run_names
UNION ALL
SELECT ablation, coalesce(name, ablation) FROM log.begun_ablations
WHERE ablation NOT IN (SELECT run_id FROM log.run_names WHERE run_id IS NOT NULL);

-- A failure that anything follows is past.
CREATE VIEW log.failed_runs AS
SELECT f.* FROM log.run_failures AS f JOIN log.streams AS s ON s.stream = 'run-' || f.run_id AND s.last = f.revision;

-- Whether the process that claims a run is still alive no event tells; that its claim has run out, time does.
CREATE VIEW log.standing AS
WITH
claimed AS (
  SELECT
    run_id, arg_max(seconds > 0 AND epoch_ms(recorded_at) + 1000 * seconds > epoch_ms(now()), (epoch, revision)) AS held
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
  coalesce(e.ended_at, f.happened_at) AS ended_at, f.stage AS failed_in, f.reason AS failure, f.says AS failure_says
FROM log.run_names AS n
LEFT JOIN claimed AS c ON c.run_id = n.run_id
LEFT JOIN completed AS e ON e.run_id = n.run_id
LEFT JOIN log.failed_runs AS f ON f.run_id = n.run_id;

CREATE VIEW runs AS
WITH
noted AS (SELECT run_id, flatten(list(tags)) AS tags FROM log.notes WHERE stage IS NULL GROUP BY run_id),
-- The last validation may tell of no rate over all families; then there is none.
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
  s.run, s.state, b.environment, b.engineer, b.model, b.form, b.policy, b.trainer, b.seed, b.stages AS planned,
  coalesce(passed.stages, 0) AS done, try_cast(b.budgets['agentSteps'] AS BIGINT) AS budget, v.valid, v.valid_low, v.valid_high, v.optimal,
  passed.validated, coalesce(p.run, b.parent) AS parent, b.parent_stage, b.ablation, b.arm,
  coalesce(list_sort(list_distinct(list_concat(b.tags, noted.tags))), []) AS tags,
  s.failed_in, s.failure, s.failure_says, b.happened_at AS started_at, s.ended_at, heard.last_event_at,
  b.says, b.modules, b.reads, b.budgets, b.code, b.code_commit, b.source, b.options, s.run_id, b.parent AS parent_id
FROM log.standing AS s
LEFT JOIN log.begun_runs AS b ON b.run_id = s.run_id
LEFT JOIN log.run_names AS p ON p.run_id = b.parent
LEFT JOIN noted ON noted.run_id = s.run_id
LEFT JOIN passed ON passed.run = s.run AND passed.run_id = s.run_id
LEFT JOIN log.rated AS v ON v.id = passed.validation AND v.family IS NULL
LEFT JOIN heard ON heard.run_id = s.run_id;
