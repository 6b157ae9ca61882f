-- Changes of knobs: one row for each knob that an adopted configuration changed: by how much, why, on which evidence,
-- and the results of its family before and after.
--
--   run                the run
--   stage              the stage it was changed for, which shows the effect
--   family             the family of the knob; null: it concerns all families
--   knob               the full name of the knob: 8.hole
--   short_name         its name within its family: hole
--   from_value         its value before; null where it had none
--   to_value           its new value; null where it has none any more
--   steps              the change in steps of the knob; null where its step is not known
--   direction          up or down; null where it had or has no value
--   decided_by         engineer, human, initial, kept, errored; null where no decision was recorded
--   engineer           the engineer that was asked, or the person
--   reason             why it was changed, in words; null where no reason was given
--   cites              the evidence ids it cites; null where none were given
--   rests_on           how close the cited evidence is, at best. its family; in part: evidence of all families for a
--                      knob of one family, or of one family for a knob of all; another family; unknown: no such
--                      evidence id was shown; nothing: nothing is cited; no context: the context is not known
--   cited_evidence     what each cited evidence id refers to: its module and its family; an evidence id that was not
--                      shown has neither
--   clamped            whether the proposed value was moved to an allowed one
--   proposed           the proposed value, where it was moved
--   valid_before       the valid rate of its family in the validation of the stage before; of all families, where it
--                      has no family
--   before_low         the lower end of its 95 % interval
--   before_high        the upper end
--   valid_after        the same rate in the validation of the stage the knob was changed for
--   after_low          the lower end of its 95 % interval
--   after_high         the upper end
--   gain               valid_after minus valid_before
--   probe_before       the valid rate of its family on the probe tasks of the stage before, as summaries have it
--   probe_before_low   the lower end of its 95 % interval; null over all families
--   probe_before_high  the upper end
--   probe_after        the same rate in the stage the knob was changed for
--   probe_after_low    the lower end of its 95 % interval; null over all families
--   probe_after_high   the upper end
--   probe_gain         probe_after minus probe_before
--   harder             whether tasks get harder with more of it or with less
--   context_form       the context form that was shown
--   environment        the environment
--   decision           the decision: decisions.id
--   proposal           the proposal: proposals.id
--   run_id             the identity of the run

-- filled from decisions
CREATE TABLE log.knob_changes (
  owner VARCHAR,
  stage BIGINT,
  family VARCHAR,
  knob VARCHAR,
  short_name VARCHAR,
  from_value DOUBLE,
  to_value DOUBLE,
  steps DOUBLE,
  direction VARCHAR,
  decided_by VARCHAR,
  engineer VARCHAR,
  reason VARCHAR,
  cites VARCHAR[],
  rests_on VARCHAR,
  cited_evidence STRUCT(evidence_id VARCHAR, "module" VARCHAR, family VARCHAR)[],
  clamped BOOLEAN,
  proposed DOUBLE,
  valid_before DOUBLE,
  before_low DOUBLE,
  before_high DOUBLE,
  valid_after DOUBLE,
  after_low DOUBLE,
  after_high DOUBLE,
  gain DOUBLE,
  probe_before DOUBLE,
  probe_before_low DOUBLE,
  probe_before_high DOUBLE,
  probe_after DOUBLE,
  probe_after_low DOUBLE,
  probe_after_high DOUBLE,
  probe_gain DOUBLE,
  harder VARCHAR,
  context_form VARCHAR,
  environment VARCHAR,
  decision UUID,
  proposal UUID,
  run_id VARCHAR
);

CREATE VIEW knob_changes AS
SELECT n.run, c.* EXCLUDE (owner) FROM log.knob_changes AS c JOIN log.run_names AS n ON n.run_id = c.run_id;
