-- Decisions: the configurations that were adopted, one row each, and how they came about. Their changes are in
-- knob_changes.

-- filled from decisions, shown with run: the run
CREATE TABLE log.decisions (
  owner VARCHAR,
  stage BIGINT,          -- the stage being configured
  in_force BOOLEAN,      -- whether it counts: of several for one stage the last one does
  decided_by VARCHAR,    -- engineer, human, initial, kept (no proposal could be used, so the configuration stays),
                         -- errored (the engineer could not answer, so the configuration stays)
  engineer VARCHAR,      -- the engineer that was asked, or the person
  context_form VARCHAR,  -- the context form it was shown
  changes BIGINT,        -- number of changes it gives reasons for
  kept BIGINT,           -- number of knobs it keeps on purpose; null where it does not say
  clamps BIGINT,         -- number of proposed values that were moved to allowed ones
  rationale VARCHAR,     -- the reasoning as a whole
  configuration VARCHAR, -- the digest of the adopted configuration
  previous VARCHAR,      -- the digest of the configuration it replaces
  proposal UUID,         -- the proposal it comes from: proposals.id
  edited BOOLEAN,        -- whether a person changed values of that proposal before adopting it; null: no proposal
  context VARCHAR,       -- the digest of the context its reasons cite
  context_event UUID,    -- the event with that context
  actor VARCHAR,         -- who adopted it, as kind/identity
  happened_at TIMESTAMP, -- when (UTC)
  id UUID,               -- the event: icecore event show ID shows it whole
  run_id VARCHAR,        -- the identity of the run
  revision BIGINT
);
