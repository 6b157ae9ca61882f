-- The curriculum: the configuration of each family stage by stage, and its results. For a fork it shows the whole
-- history, with the run that recorded each stage. The row without a family is about all families together and has the
-- knobs that concern all.
--
--   run              the run
--   stage            the stage
--   family           the family; null: all families
--   position         its position among the families, from 1: easiest first where there is an order
--   share            its share of the training data, where some knobs are shares of one whole
--   knobs            the values of its knobs by short name: knobs['hole']
--   changed          the knobs among them that were changed for this stage
--   valid_before     the valid rate in the validation of the stage before
--   valid            the valid rate in the validation of this stage
--   valid_low        the lower end of its 95 % interval
--   valid_high       the upper end
--   gain             valid minus valid_before
--   optimal          the optimal rate
--   learning_signal  the share of sample groups whose rewards differed
--   failure_class    the most frequent failure class
--   failures         number of failures of that class
--   failed_in        where they were counted: splits of the evidence, or the validation suite
--   completed        whether the stage is complete
--   environment      the environment
--   engineer         who decided on the configuration: the engineer that was asked, or the person
--   recorded_by      the run that recorded the stage
--   run_id           the identity of the run

-- filled from decisions
CREATE TABLE log.curriculum (
  owner VARCHAR,
  stage BIGINT,
  family VARCHAR,
  position BIGINT,
  share DOUBLE,
  knobs MAP(VARCHAR, DOUBLE),
  changed VARCHAR[],
  valid_before DOUBLE,
  valid DOUBLE,
  valid_low DOUBLE,
  valid_high DOUBLE,
  gain DOUBLE,
  optimal DOUBLE,
  learning_signal DOUBLE,
  failure_class VARCHAR,
  failures BIGINT,
  failed_in VARCHAR,
  completed BOOLEAN,
  environment VARCHAR,
  engineer VARCHAR,
  recorded_by VARCHAR,
  run_id VARCHAR,
  proposal UUID
);

CREATE VIEW curriculum AS
SELECT n.run, c.* EXCLUDE (owner, proposal) REPLACE (r.run AS recorded_by)
FROM log.curriculum AS c
JOIN log.run_names AS n ON n.run_id = c.run_id
LEFT JOIN log.run_names AS r ON r.run_id = c.recorded_by;
