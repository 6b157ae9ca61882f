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

-- filled from decisions
CREATE TABLE log.training (
  owner VARCHAR,
  stage BIGINT,
  trainer VARCHAR,
  policy VARCHAR,
  from_checkpoint VARCHAR,
  checkpoint VARCHAR,
  checkpoint_step BIGINT,
  agent_steps BIGINT,
  updates BIGINT,
  spent MAP(VARCHAR, DOUBLE),
  budget MAP(VARCHAR, DOUBLE),
  seconds DOUBLE,
  results MAP(VARCHAR, DOUBLE),
  points BIGINT,
  counts BOOLEAN,
  part BIGINT,
  seed VARCHAR,
  configuration VARCHAR,
  parameters JSON,
  exit_code BIGINT,
  exit_signal VARCHAR,
  log VARCHAR,
  source VARCHAR,
  reproduced BOOLEAN,
  ablation VARCHAR,
  arm VARCHAR,
  unit VARCHAR,
  arm_run VARCHAR,
  happened_at TIMESTAMP,
  id UUID,
  run_id VARCHAR
);

CREATE VIEW training AS
SELECT n.run, t.* EXCLUDE (owner)
FROM log.training AS t
LEFT JOIN log.run_names AS n ON n.run_id = t.run_id;
