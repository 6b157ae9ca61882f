-- Contexts: what an engineer was shown, built from history up to a point and from nothing else.
--
--   run            the run
--   stage          the stage it looks back on
--   form           the preset of modules; null where it has no name
--   modules        the modules, in order
--   tokens         how long it is
--   module_tokens  how much of it each module takes: module_tokens['stats']
--   budget         how long it might have been; 0: no limit
--   truncated      what was left out for want of room, each with how much was kept
--   without        items left out on purpose, to see what they change
--   labels         how many things may be cited: table context_labels
--   text           what the engineer read, where the event holds it
--   tokenizer      what counted the tokens
--   builder        what built it, with its version
--   digest         of its bytes: equal digests are the same context
--   history        what it was built from: streams, each with the last event it knows of
--   ablation       the ablation it was made in; null where it is of a run
--   happened_at    when it was built (UTC)
--   id             the event
--   run_id         the identity of the run

CREATE TABLE log.contexts (
  id UUID,
  stream VARCHAR,
  revision BIGINT,
  happened_at TIMESTAMP,
  run_id VARCHAR,
  stage BIGINT,
  form VARCHAR,
  modules VARCHAR[],
  tokens BIGINT,
  module_tokens MAP(VARCHAR, BIGINT),
  budget BIGINT,
  truncated STRUCT(module VARCHAR, what VARCHAR, kept BIGINT, dropped BIGINT)[],
  without VARCHAR[],
  text VARCHAR,
  tokenizer VARCHAR,
  builder VARCHAR,
  digest VARCHAR,
  history STRUCT(stream VARCHAR, revision BIGINT)[]
);

-- fill from ContextRecorded
INSERT INTO log.contexts
SELECT
  id, stream, revision, happened_at, run_id, stage, data.form.name, data.form.modules, data.tokens,
  -- A map has a key once, whatever the event says.
  map_from_entries(list_filter(
    list_transform(data.modules, lambda one: {'key': one.module, 'value': one.tokens}),
    lambda one, place: one.key IS NOT NULL
      AND list_position(list_transform(data.modules, lambda other: other.module), one.key) = place
  )),
  data.budget, data.truncated, data.without, data.text ->> '$.text', data.tokenizer, data.builder, data.digest,
  data.history
FROM batch;

CREATE VIEW contexts AS
SELECT
  n.run, c.stage, c.form, c.modules, c.tokens, c.module_tokens, c.budget, c.truncated, c.without,
  coalesce(l.labels, 0) AS labels, c.text, c.tokenizer, c.builder, c.digest, c.history,
  ablation_in(c.stream) AS ablation, c.happened_at, c.id, c.run_id
FROM log.contexts AS c
LEFT JOIN (SELECT id, count(*) AS labels FROM log.context_labels GROUP BY id) AS l ON l.id = c.id
LEFT JOIN log.run_names AS n ON n.run_id = c.run_id;
