-- Ablations: the decisions of a history replayed with other contexts or engineers.
--
--   ablation           the identity of the ablation: its stream is ablation-<this>
--   name               its name
--   depth              propose: arms only propose; train: each also trains one stage; run: each goes on to the last
--                      stage
--   completed          whether it is complete
--   arms               number of arms
--   runs               the runs whose history is replayed, by identity
--   decisions          the decisions that are replayed: the stages that are configured anew
--   seeds              the training seeds, each a unit of analysis
--   primary_arm        the arm of the first declared contrast
--   primary_reference  the arm it is compared with
--   primary_measure    the measure they are compared by
--   primary_better     whether higher or lower is better
--   level              the confidence level of its intervals
--   margin             differences below it count as none
--   preset             paper, leave-one-out, factorial
--   notes              what it is for
--   conclusions        what the data support and what they do not, in words
--   unfinished         arms without a result, with the reason
--   spent              what it spent, by unit
--   cost               what it cost
--   currency           the currency of the cost
--   tags               its tags
--   options            every option as it was resolved, as JSON
--   started_at         when it began (UTC)
--   completed_at       when it was complete (UTC)
--   id                 the event that began it

-- filled from decisions
CREATE TABLE log.ablations (
  owner VARCHAR,
  ablation VARCHAR,
  name VARCHAR,
  depth VARCHAR,
  completed BOOLEAN,
  arms BIGINT,
  runs VARCHAR[],
  decisions BIGINT[],
  seeds VARCHAR[],
  primary_arm VARCHAR,
  primary_reference VARCHAR,
  primary_measure VARCHAR,
  primary_better VARCHAR,
  level DOUBLE,
  margin DOUBLE,
  preset VARCHAR,
  notes VARCHAR,
  conclusions VARCHAR[],
  unfinished STRUCT(arm VARCHAR, reason VARCHAR)[],
  spent MAP(VARCHAR, DOUBLE),
  cost DOUBLE,
  currency VARCHAR,
  tags VARCHAR[],
  options JSON,
  started_at TIMESTAMP,
  completed_at TIMESTAMP,
  id UUID
);

CREATE VIEW ablations AS SELECT * EXCLUDE (owner) FROM log.ablations;
