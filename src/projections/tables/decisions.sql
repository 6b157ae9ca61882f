-- Decisions: the configurations that were adopted, one row each, and how they came about. Their changes are in
-- knob_changes.
--
--   run            the run
--   stage          the stage being configured
--   in_force       whether it holds: of several for one stage the last does
--   decided_by     engineer, human, initial, kept (no proposal could be used, so the configuration stays), errored
--                  (the engineer could not answer, so the configuration stays)
--   engineer       the engineer that was asked, or the person
--   context_form   the context form it was shown
--   changes        number of changes it gives reasons for
--   kept           number of knobs it keeps on purpose; null where it does not say
--   clamps         number of proposed values that were moved to allowed ones
--   rationale      the reasoning as a whole
--   configuration  the digest of the adopted configuration
--   previous       the digest of the configuration it replaces
--   proposal       the proposal it comes from: proposals.id
--   context        the digest of the context its reasons cite
--   context_event  the event with that context
--   actor          who adopted it, as kind/identity
--   happened_at    when (UTC)
--   id             the event: icecore event show ID shows it whole
--   run_id         the identity of the run

-- filled from decisions
CREATE TABLE log.decisions (
  owner VARCHAR,
  stage BIGINT,
  in_force BOOLEAN,
  decided_by VARCHAR,
  engineer VARCHAR,
  context_form VARCHAR,
  changes BIGINT,
  kept BIGINT,
  clamps BIGINT,
  rationale VARCHAR,
  configuration VARCHAR,
  previous VARCHAR,
  proposal UUID,
  context VARCHAR,
  context_event UUID,
  actor VARCHAR,
  happened_at TIMESTAMP,
  id UUID,
  run_id VARCHAR,
  revision BIGINT
);

CREATE VIEW decisions AS
SELECT n.run, d.* EXCLUDE (owner, revision) FROM log.decisions AS d JOIN log.run_names AS n ON n.run_id = d.run_id;
