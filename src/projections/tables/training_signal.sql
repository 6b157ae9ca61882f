-- What there was to learn in a training, and what it drew, by family. Only of trainings that count.
--
--   run             the run; of an arm, the run whose history it replays
--   stage           its stage
--   family      the set of knobs; null: all of them
--   families          how many sample of samples were compared
--   with_variance   in how many of them rewards differed
--   share           the second by the first: what there is to learn from
--   share_reason    why there is no share
--   entropy         how unsure the policy was
--   entropy_reason  why that is not known
--   kl              how far it went from where it began
--   kl_reason       why that is not known
--   instances       how many tasks were drawn
--   sampled_share   their share of all that were drawn, which need not be what was asked for
--   ablation        the ablation; null where it is of a run
--   arm             its arm
--   unit            the unit of analysis
--   training        the training: training.id
--   run_id          the identity of the run

-- Over all families, where only families were told, stands what they add up to: that is pooled.
CREATE TABLE log.training_signal (
  id UUID,
  family VARCHAR,
  families BIGINT,
  with_variance BIGINT,
  share DOUBLE,
  share_reason VARCHAR,
  entropy DOUBLE,
  entropy_reason VARCHAR,
  kl DOUBLE,
  kl_reason VARCHAR,
  instances BIGINT,
  sampled_share DOUBLE,
  pooled BOOLEAN
);

-- fill from TrainingRecorded, ArmTrained
INSERT INTO log.training_signal
WITH told AS (
  SELECT
    id, family, any_value(signal.families) AS families, any_value(signal.withVariance) AS with_variance,
    any_value(try_cast(signal.share AS DOUBLE)) AS share, any_value(signal.share ->> '$.reason') AS share_reason,
    any_value(try_cast(signal.entropy AS DOUBLE)) AS entropy, any_value(signal.entropy ->> '$.reason') AS entropy_reason,
    any_value(try_cast(signal.kl AS DOUBLE)) AS kl, any_value(signal.kl ->> '$.reason') AS kl_reason,
    any_value(sampled.instances) AS instances, any_value(sampled.share) AS sampled_share
  FROM (
    SELECT id, signal.family AS family, signal FROM (SELECT id, unnest(data.signal) AS signal FROM batch)
    UNION ALL BY NAME
    SELECT id, sampled.family AS family, sampled FROM (SELECT id, unnest(data.sampled) AS sampled FROM batch)
  )
  GROUP BY id, family
)
SELECT *, false AS pooled FROM told
UNION ALL BY NAME
SELECT
  id, try_cast(sum(families) AS BIGINT) AS families, try_cast(sum(with_variance) AS BIGINT) AS with_variance,
  sum(with_variance) / nullif(sum(families), 0) AS share, true AS pooled
FROM told WHERE families IS NOT NULL
GROUP BY id HAVING count(*) = count(family);

CREATE VIEW training_signal AS
SELECT
  t.run, t.stage, s.family, s.families, s.with_variance, s.share, s.share_reason, s.entropy, s.entropy_reason, s.kl,
  s.kl_reason, s.instances, s.sampled_share, t.ablation, t.arm, t.unit, t.id AS training, t.run_id
FROM log.training_signal AS s
JOIN log.trainings AS t ON t.id = s.id
WHERE t.counts AND NOT s.pooled;
