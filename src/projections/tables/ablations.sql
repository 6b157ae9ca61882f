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

CREATE TABLE log.ablations (
  ablation VARCHAR,
  revision BIGINT,
  id UUID,
  happened_at TIMESTAMP,
  name VARCHAR,
  depth VARCHAR,
  histories STRUCT(run VARCHAR, decisions BIGINT[], revision BIGINT, digest VARCHAR)[],
  arms BIGINT,
  seeds VARCHAR[],
  "primary" STRUCT(arm VARCHAR, reference VARCHAR, measure VARCHAR, better VARCHAR),
  level DOUBLE,
  margin DOUBLE,
  preset VARCHAR,
  tags VARCHAR[],
  notes VARCHAR,
  options JSON
);

-- fill from AblationStarted
INSERT INTO log.ablations
SELECT
  substr(stream, length('ablation-') + 1), revision, id, happened_at, data.name, data.depth, data.histories,
  len(data.arms), list_transform(data.seeds, lambda seed: seed ->> '$'), data."primary", data.level, data.margin,
  data.preset, data.tags, data.notes, data.options
FROM batch;

CREATE TABLE log.ablation_ends (
  ablation VARCHAR,
  revision BIGINT,
  happened_at TIMESTAMP,
  unfinished STRUCT(arm VARCHAR, reason VARCHAR)[],
  conclusions VARCHAR[],
  spent MAP(VARCHAR, DOUBLE),
  cost DOUBLE,
  currency VARCHAR
);

-- fill from AblationCompleted
INSERT INTO log.ablation_ends
SELECT
  substr(stream, length('ablation-') + 1), revision, happened_at, data.unfinished, data.conclusions,
  from_json(data.spent, '"MAP(VARCHAR, DOUBLE)"'), data.cost.total, data.cost.currency
FROM batch;

CREATE VIEW ablations AS
SELECT
  b.ablation, coalesce(b.name, b.ablation) AS name, b.depth, e.ablation IS NOT NULL AS completed, b.arms,
  list_transform(b.histories, lambda history: history.run) AS runs,
  list_sort(list_distinct(flatten(list_transform(b.histories, lambda history: history.decisions)))) AS decisions,
  b.seeds, b."primary".arm AS primary_arm, b."primary".reference AS primary_reference,
  b."primary".measure AS primary_measure, b."primary".better AS primary_better, b.level, b.margin, b.preset, b.notes,
  e.conclusions, e.unfinished, e.spent, e.cost, e.currency, b.tags, b.options, b.happened_at AS started_at,
  e.happened_at AS completed_at, b.id
FROM log.begun_ablations AS b
LEFT JOIN log.ended_ablations AS e ON e.ablation = b.ablation;

-- The last of several AblationStarted events of an ablation holds.
CREATE VIEW log.begun_ablations AS
SELECT * FROM log.ablations QUALIFY revision = max(revision) OVER (PARTITION BY ablation);

CREATE VIEW log.ended_ablations AS
SELECT * FROM log.ablation_ends QUALIFY revision = max(revision) OVER (PARTITION BY ablation);

CREATE VIEW log.ablation_names AS
SELECT ablation, coalesce(name, ablation) AS name FROM log.begun_ablations;
