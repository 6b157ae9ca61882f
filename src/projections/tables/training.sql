-- Trainings: from which checkpoint to which the policy was trained, on what, and what that took.
--
--   run              the run; of an arm, the run whose history it replays
--   stage            its stage
--   trainer          the trainer
--   policy           the policy that was trained
--   from_checkpoint  the checkpoint it started from; null: from nothing
--   checkpoint       the checkpoint after training; null where there is none
--   checkpoint_step  the update of the trainer that checkpoint was made at
--   agent_steps      agent steps it took
--   updates          updates it took
--   spent            what it spent, by unit: spent['tokens']
--   budget           its budget, by unit
--   seconds          how long it took, where that was measured
--   results          figures of the training as a whole, by name
--   points           number of points of its curve: table training_curve
--   counts           whether it is the last training of its stage, which replaces earlier ones
--   part             for a training recorded in several parts: the number of the part, from 0
--   seed             its seed
--   configuration    the digest of the configuration it trained on
--   parameters       the settings of the trainer, as JSON
--   exit_code        the exit code of the training program
--   exit_signal      the signal that ended it
--   log              the output of the program, where the event holds it
--   source           the tool it was imported from
--   reproduced       whether a repeated training gave the recorded checkpoint; null where none was repeated
--   ablation         the ablation; null for events of a run
--   arm              its arm
--   unit             the unit of analysis: arms are paired within it
--   arm_run          the run the arm goes on as
--   happened_at      when it was complete (UTC)
--   id               the event
--   run_id           the identity of the run

CREATE TABLE log.training (
  id UUID,
  revision BIGINT,
  happened_at TIMESTAMP,
  run_id VARCHAR,
  stage BIGINT,
  part BIGINT,
  trainer VARCHAR,
  parameters JSON,
  policy VARCHAR,
  from_checkpoint VARCHAR,
  checkpoint VARCHAR,
  checkpoint_step BIGINT,
  configuration VARCHAR,
  seed VARCHAR,
  budget MAP(VARCHAR, DOUBLE),
  spent MAP(VARCHAR, DOUBLE),
  seconds DOUBLE,
  results MAP(VARCHAR, DOUBLE),
  points BIGINT,
  exit_code BIGINT,
  exit_signal VARCHAR,
  log VARCHAR,
  source VARCHAR,
  of_arm BOOLEAN
);

-- fill from TrainingRecorded, ArmTrained
INSERT INTO log.training
SELECT
  id, revision, happened_at, run_id, stage, data.part, data.trainer.name, data.trainer.parameters, data.policy.name,
  coalesce(data."from".digest, data."from".reference), coalesce(data.checkpoint.digest, data.checkpoint.reference),
  data.checkpoint.step, data.configuration, data.seed ->> '$',
  from_json(data.budget, '"MAP(VARCHAR, DOUBLE)"'), from_json(data.spent, '"MAP(VARCHAR, DOUBLE)"'),
  try_cast(data.measured ->> '$.seconds' AS DOUBLE), from_json(data.results, '"MAP(VARCHAR, DOUBLE)"'),
  coalesce(len(data.curve), 0), data.exit.code, data.exit.signal, data.log ->> '$.text', data.source.tool,
  type = 'ArmTrained'
FROM batch;

CREATE TABLE log.reproductions (
  id UUID,
  equal BOOLEAN
);

-- fill from ArmTrained
INSERT INTO log.reproductions
SELECT id, data.reproduces.equal FROM batch WHERE data.reproduces.equal IS NOT NULL;

CREATE VIEW log.trainings AS
SELECT
  n.run, t.* EXCLUDE (of_arm), a.ablation, a.arm, a.unit, a.arm_run,
  t.revision = max(t.revision) OVER (
    PARTITION BY n.run, t.run_id, t.stage, a.ablation, a.arm, a.unit, coalesce(t.part, 0)
  ) AS counts
FROM log.training AS t
LEFT JOIN log.arm_events AS a ON a.id = t.id
LEFT JOIN log.run_names AS n ON n.run_id = t.run_id;

CREATE VIEW training AS
SELECT
  t.run, t.stage, t.trainer, t.policy, t.from_checkpoint, t.checkpoint, t.checkpoint_step,
  try_cast(t.spent['agent-steps'] AS BIGINT) AS agent_steps, try_cast(t.spent['updates'] AS BIGINT) AS updates,
  t.spent, t.budget, t.seconds, t.results, t.points, t.counts, t.part, t.seed, t.configuration, t.parameters,
  t.exit_code, t.exit_signal, t.log, t.source, r.equal AS reproduced, t.ablation, t.arm, t.unit, t.arm_run,
  t.happened_at, t.id, t.run_id
FROM log.trainings AS t
LEFT JOIN log.reproductions AS r ON r.id = t.id;
