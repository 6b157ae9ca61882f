-- Ablations: the same history decided upon in other ways, to see what the ways are worth.
--
--   ablation         the identity of the ablation: its stream is ablation-<this>
--   name             what people call it
--   depth            propose: arms only propose; train: each also trains one stage; run: each goes on to the end
--   completed        whether it is over
--   arms             how many arms it compares
--   runs             the runs whose history is replayed, by identity
--   stages           the stages whose decisions are taken again
--   seeds            the training seeds, each a unit of analysis
--   primary_arm      the arm of the one contrast that was declared beforehand
--   primary_against  the arm it is compared with
--   primary_measure  what they are compared by
--   primary_better   which of higher and lower is better
--   level            the confidence of its intervals
--   margin           differences below it count as none
--   preset           paper, leave-one-out, factorial
--   says             what it is for
--   conclusions      in words: what the data support and what they do not
--   unfinished       arms that have no result, with why
--   spent            what it took, by unit
--   cost             what it cost
--   currency         in which currency
--   tags             words it was tagged with
--   options          every option as it was resolved, as JSON
--   started_at       when it began (UTC)
--   completed_at     when it was over (UTC)
--   id               the event that began it

CREATE TABLE log.ablations (
  ablation VARCHAR,
  revision BIGINT,
  id UUID,
  happened_at TIMESTAMP,
  name VARCHAR,
  depth VARCHAR,
  histories STRUCT(run VARCHAR, stages BIGINT[], revision BIGINT, digest VARCHAR)[],
  arms BIGINT,
  seeds VARCHAR[],
  "primary" STRUCT(arm VARCHAR, against VARCHAR, measure VARCHAR, better VARCHAR),
  level DOUBLE,
  margin DOUBLE,
  preset VARCHAR,
  tags VARCHAR[],
  says VARCHAR,
  options JSON
);

-- fill from AblationStarted
INSERT INTO log.ablations
SELECT
  substr(stream, length('ablation-') + 1), revision, id, happened_at, data.name, data.depth, data.histories,
  len(data.arms), list_transform(data.seeds, lambda seed: seed ->> '$'), data."primary", data.level, data.margin,
  data.preset, data.tags, data.says, data.options
FROM batch;

CREATE TABLE log.ablation_ends (
  ablation VARCHAR,
  revision BIGINT,
  happened_at TIMESTAMP,
  unfinished STRUCT(arm VARCHAR, why VARCHAR)[],
  says VARCHAR[],
  spent MAP(VARCHAR, DOUBLE),
  cost DOUBLE,
  currency VARCHAR
);

-- fill from AblationCompleted
INSERT INTO log.ablation_ends
SELECT
  substr(stream, length('ablation-') + 1), revision, happened_at, data.unfinished, data.says,
  from_json(data.spent, '"MAP(VARCHAR, DOUBLE)"'), data.cost.total, data.cost.currency
FROM batch;

CREATE VIEW ablations AS
SELECT
  b.ablation, coalesce(b.name, b.ablation) AS name, b.depth, e.ablation IS NOT NULL AS completed, b.arms,
  list_transform(b.histories, lambda history: history.run) AS runs,
  list_sort(list_distinct(flatten(list_transform(b.histories, lambda history: history.stages)))) AS stages,
  b.seeds, b."primary".arm AS primary_arm, b."primary".against AS primary_against,
  b."primary".measure AS primary_measure, b."primary".better AS primary_better, b.level, b.margin, b.preset, b.says,
  e.says AS conclusions, e.unfinished, e.spent, e.cost, e.currency, b.tags, b.options, b.happened_at AS started_at,
  e.happened_at AS completed_at, b.id
FROM log.begun_ablations AS b
LEFT JOIN log.ended_ablations AS e ON e.ablation = b.ablation;

-- Of what is said several times, the last holds.
CREATE VIEW log.begun_ablations AS
SELECT * FROM log.ablations QUALIFY revision = max(revision) OVER (PARTITION BY ablation);

CREATE VIEW log.ended_ablations AS
SELECT * FROM log.ablation_ends QUALIFY revision = max(revision) OVER (PARTITION BY ablation);

CREATE VIEW log.ablation_names AS
SELECT ablation, coalesce(name, ablation) AS name FROM log.begun_ablations;
