-- Changes of knobs: one row for each knob that an adopted configuration changed: by how much, why, on which evidence,
-- and the results of its family before and after.

-- filled from decisions, shown with run: the run
CREATE TABLE log.knob_changes (
  owner VARCHAR,
  stage BIGINT,             -- the stage it was changed for, which shows the effect
  family VARCHAR,           -- the family of the knob; null: it concerns all families
  knob VARCHAR,             -- the full name of the knob: 8.hole
  short_name VARCHAR,       -- its name within its family: hole
  from_value DOUBLE,        -- its value before; null where it had none
  to_value DOUBLE,          -- its new value; null where it has none any more
  steps DOUBLE,             -- the change in steps of the knob; null where its step is not known
  direction VARCHAR,        -- up or down; null where it had or has no value
  decided_by VARCHAR,       -- engineer, human, initial, kept, errored; null where no decision was recorded
  engineer VARCHAR,         -- the engineer that was asked, or the person
  reason VARCHAR,           -- why it was changed, in words; null where no reason was given
  cites VARCHAR[],          -- the evidence ids it cites; null where none were given
  rests_on VARCHAR,         -- how close the cited evidence is, at best. its family; in part: evidence of all families
                            -- for a knob of one family, or of one family for a knob of all; another family; unknown: no
                            -- such evidence id was shown; nothing: nothing is cited; no context: the context is not
                            -- known
  cited_evidence STRUCT(evidence_id VARCHAR, "module" VARCHAR, family VARCHAR)[], -- what each cited evidence id refers
                            -- to: its module and its family; an evidence id that was not shown has neither
  clamped BOOLEAN,          -- whether the proposed value was moved to an allowed one
  proposed DOUBLE,          -- the proposed value, where it was moved
  valid_before DOUBLE,      -- the valid rate of its family in the validation of the stage before; of all families,
                            -- where it has no family
  before_low DOUBLE,        -- the lower end of its 95 % interval
  before_high DOUBLE,       -- the upper end
  valid_after DOUBLE,       -- the same rate in the validation of the stage the knob was changed for
  after_low DOUBLE,         -- the lower end of its 95 % interval
  after_high DOUBLE,        -- the upper end
  gain DOUBLE,              -- valid_after minus valid_before
  probe_before DOUBLE,      -- the valid rate of its family on the probe tasks of the stage before, as summaries have it
  probe_before_low DOUBLE,  -- the lower end of its 95 % interval; null over all families
  probe_before_high DOUBLE, -- the upper end
  probe_after DOUBLE,       -- the same rate in the stage the knob was changed for
  probe_after_low DOUBLE,   -- the lower end of its 95 % interval; null over all families
  probe_after_high DOUBLE,  -- the upper end
  probe_gain DOUBLE,        -- probe_after minus probe_before
  harder VARCHAR,           -- whether tasks get harder with more of it or with less
  context_form VARCHAR,     -- the context form that was shown
  environment VARCHAR,      -- the environment
  decision UUID,            -- the decision: decisions.id
  proposal UUID,            -- the proposal: proposals.id
  run_id VARCHAR            -- the identity of the run
);
