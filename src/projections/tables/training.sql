-- Trainings: from which checkpoint to which the policy was trained, on what, and what that took. Trainings
-- of an ablation's arms are included; they have an ablation, an arm and a unit. Those with an arm_run repeat trainings of
-- that run, and arms that decided the same share one training but have a row each: leave both out of sums.

-- filled from decisions, shown with run: the run; of an arm, the run whose history it replays
CREATE TABLE log.training (
  owner VARCHAR,
  stage BIGINT,                 -- its stage
  trainer VARCHAR,              -- the trainer
  policy VARCHAR,               -- the policy that was trained
  from_checkpoint VARCHAR,      -- the checkpoint it started from; null: from nothing
  checkpoint VARCHAR,           -- the checkpoint after training; null where there is none
  checkpoint_step BIGINT,       -- the update of the trainer that checkpoint was made at
  agent_steps BIGINT,           -- agent steps it took
  updates BIGINT,               -- updates it took
  spent MAP(VARCHAR, DOUBLE),   -- what it spent, by unit: spent['tokens']
  budget MAP(VARCHAR, DOUBLE),  -- its budget, by unit
  seconds DOUBLE,               -- how long it took, where that was measured
  results MAP(VARCHAR, DOUBLE), -- figures of the training as a whole, by name
  points BIGINT,                -- number of points of its curve: table training_curve
  counts BOOLEAN,               -- whether it is the last training of its stage, which replaces earlier ones
  part BIGINT,                  -- for a training recorded in several parts: the number of the part, from 0
  seed VARCHAR,                 -- its seed
  configuration VARCHAR,        -- the digest of the configuration it trained on
  parameters JSON,              -- the settings of the trainer, as JSON
  exit_code BIGINT,             -- the exit code of the training program
  exit_signal VARCHAR,          -- the signal that ended it
  log VARCHAR,                  -- the output of the program, where the event holds it
  source VARCHAR,               -- the tool it was imported from
  reproduced BOOLEAN,           -- whether a repeated training gave the recorded checkpoint; null where none was
                                -- repeated
  ablation VARCHAR,             -- the ablation; null for events of a run
  arm VARCHAR,                  -- its arm
  unit VARCHAR,                 -- the unit of analysis: arms are paired within it
  arm_run VARCHAR,              -- the run that the arm continues as, by identity; it has the same training
  happened_at TIMESTAMP,        -- when it was complete (UTC)
  id UUID,                      -- the event
  run_id VARCHAR                -- the identity of the run
);
