-- Statistics of stages: sums over the evidence of a stage, which engineers see, by split and family: the rollouts of the
-- probe pool and a sample of training. Only rollouts that count. Their failure classes are in table stage_failures; figures of
-- validation and benchmarks are in evaluations, of training in training, and each rollout of all of them in rollouts.

-- Sums over rollouts that count. Only attempts with events after their seal, which are rare, are summed from their rollouts.
CREATE VIEW log.counted AS
WITH
counting AS (SELECT * FROM log.counting WHERE shard IS NOT NULL)
SELECT a.run, a.run_id, a.stage, t.* EXCLUDE (attempt)
FROM counting AS a JOIN log.tallies AS t ON t.attempt = a.attempt
WHERE a.upto > a.last
UNION ALL BY NAME
SELECT
  a.run, a.run_id, a.stage, split, family, failure_class, count(*) AS rollouts,
  count(*) FILTER (coalesce(sample, 0) = 0) AS tasks, count(error_kind) AS errored,
  count(success) FILTER (error_kind IS NULL) AS judged,
  count(*) FILTER (success AND error_kind IS NULL) AS solved, count(*) FILTER (truncated) AS truncated,
  count(truncated) AS ends_known,
  coalesce(sum(reward), 0) AS reward, count(reward) AS rewarded,
  coalesce(sum(agent_steps::DOUBLE), 0) AS agent_steps, count(agent_steps) AS stepped
FROM counting AS a JOIN log.rollouts AS r ON r.attempt = a.attempt AND r.revision < a.upto
WHERE a.upto <= a.last
GROUP BY ALL;

CREATE VIEW stage_stats AS
SELECT
  run,                                    -- the run that recorded them; a fork shares those of its parent: see lineage
  stage,                                  -- its stage
  split,                                  -- probe, or train: the sample of training
  family,                                 -- the task family; null: all families
  rollouts,                               -- number of its rollouts in the evidence
  tasks,                                  -- number of them that are the first sample of their task
  errored,                                -- number of rollouts lost to infrastructure: they count neither as solved nor
                                          -- as failed
  judged,                                 -- number of other rollouts that say whether they solved their task
  solved,                                 -- number of those that did
  solved / nullif(judged, 0) AS valid,    -- their share of those judged
  wilson_low(solved / nullif(judged, 0) * alike, alike) AS valid_low, -- the lower end of its 95 % interval, from the
                                          -- number of tasks: rollouts of one task are not independent
  wilson_high(solved / nullif(judged, 0) * alike, alike) AS valid_high, -- the upper end
  reward / nullif(rewarded, 0) AS reward, -- the mean reward of those that have one
  agent_steps / nullif(stepped, 0) AS agent_steps, -- the mean number of agent steps, where recorded
  truncated / nullif(ends_known, 0) AS truncated, -- the share of truncated answers, of the rollouts that say it; null where none does
  run_id                                  -- the identity of the run
FROM (
  SELECT *, CASE WHEN tasks = 0 THEN judged ELSE judged / rollouts * tasks END AS alike
  FROM (
    SELECT
      run, run_id, stage, split, family, grouping(family) = 1 AS pooled, sum(rollouts)::BIGINT AS rollouts,
      sum(tasks)::BIGINT AS tasks, sum(errored)::BIGINT AS errored, sum(judged)::BIGINT AS judged,
      sum(solved)::BIGINT AS solved, sum(truncated)::BIGINT AS truncated,
      sum(ends_known)::BIGINT AS ends_known, sum(reward) AS reward,
      sum(rewarded)::BIGINT AS rewarded, sum(agent_steps) AS agent_steps, sum(stepped)::BIGINT AS stepped
    FROM log.counted
    GROUP BY GROUPING SETS ((run, run_id, stage, split, family), (run, run_id, stage, split))
  )
)
WHERE pooled OR family IS NOT NULL;
