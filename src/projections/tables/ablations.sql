-- Ablations: the decisions of a history replayed with other contexts or engineers.

-- filled from decisions
CREATE TABLE log.ablations (
  owner VARCHAR,
  ablation VARCHAR,           -- the identity of the ablation: its stream is ablation-<this>
  name VARCHAR,               -- its name
  depth VARCHAR,              -- propose: arms only propose; train: each also trains one stage; run: each continues to the
                              -- last stage
  completed BOOLEAN,          -- whether it is complete
  arms BIGINT,                -- number of arms
  runs VARCHAR[],             -- the runs whose history is replayed, by identity
  decisions BIGINT[],         -- the replayed decisions, by the stages they configure
  seeds VARCHAR[],            -- the training seeds, each a unit of analysis
  primary_arm VARCHAR,        -- the arm of the first declared contrast
  primary_reference VARCHAR,  -- the arm it is compared with
  primary_measure VARCHAR,    -- the measure they are compared by
  primary_better VARCHAR,     -- whether higher or lower is better
  level DOUBLE,               -- the confidence level of its intervals
  margin DOUBLE,              -- differences below it count as none
  preset VARCHAR,             -- paper, leave-one-out, factorial
  notes VARCHAR,              -- what it is for
  conclusions VARCHAR[],      -- what the data support and what they do not, in words
  unfinished STRUCT(arm VARCHAR, reason VARCHAR)[], -- arms without a result, with the reason
  spent MAP(VARCHAR, DOUBLE), -- what it spent, by unit
  cost DOUBLE,                -- what it cost
  currency VARCHAR,           -- the currency of the cost
  tags VARCHAR[],             -- its tags
  options JSON,               -- every option as it was resolved, as JSON
  started_at TIMESTAMP,       -- when it started (UTC)
  completed_at TIMESTAMP,     -- when it was complete (UTC)
  id UUID                     -- the event that started it
);

CREATE VIEW ablations AS SELECT
  * EXCLUDE (owner)
FROM log.ablations;
