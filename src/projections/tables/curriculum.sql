-- The curriculum: the configuration of each family stage by stage, and its results. For a fork it shows the whole
-- history, with the run that recorded each stage. The row without a family is about all families together and has the
-- knobs that concern all.

-- filled from decisions
CREATE TABLE log.curriculum (
  owner VARCHAR,
  stage BIGINT,               -- the stage
  family VARCHAR,             -- the family; null: all families
  position BIGINT,            -- its position among the families, from 1: easiest first where there is an order
  share DOUBLE,               -- its share of the training data, where some knobs are shares of one whole
  knobs MAP(VARCHAR, DOUBLE), -- the values of its knobs by short name: knobs['hole']
  changed VARCHAR[],          -- the knobs among them that were changed for this stage
  valid_before DOUBLE,        -- the valid rate in the validation of the stage before
  valid DOUBLE,               -- the valid rate in the validation of this stage
  valid_low DOUBLE,           -- the lower end of its 95 % interval
  valid_high DOUBLE,          -- the upper end
  gain DOUBLE,                -- valid minus valid_before
  optimal DOUBLE,             -- the optimal rate
  learning_signal DOUBLE,     -- the share of sample groups whose rewards differed
  failure_class VARCHAR,      -- the most frequent failure class
  failures BIGINT,            -- number of failures of that class
  failed_in VARCHAR,          -- where they were counted: splits of the evidence, or the validation suite
  completed BOOLEAN,          -- whether the stage is complete
  environment VARCHAR,        -- the environment
  engineer VARCHAR,           -- who decided on the configuration: the engineer that was asked, or the person
  recorded_by VARCHAR,        -- the run that recorded the stage
  run_id VARCHAR,             -- the identity of the run
  proposal UUID
);

CREATE VIEW curriculum AS
SELECT
  n.run, -- the run
  c.* EXCLUDE (owner, proposal) REPLACE (r.run AS recorded_by)
FROM log.curriculum AS c
JOIN log.run_names AS n ON n.run_id = c.run_id
LEFT JOIN log.run_names AS r ON r.run_id = c.recorded_by;
