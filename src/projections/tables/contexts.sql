-- Contexts: what an engineer was shown, built only from history up to a recorded event.
--
--   run               the run
--   stage             the stage being configured
--   evidence_through  the last stage with evidence in it
--   context_form      the preset of modules; null where it has no name
--   modules           the modules, in order
--   tokens            its length in tokens
--   module_tokens     tokens of each module: module_tokens['stats']
--   budget            the maximum number of tokens; 0: no limit
--   truncated         what was truncated, each with how much was kept
--   without           items left out on purpose, to see what they change
--   evidence_ids      number of items that can be cited: table context_evidence
--   text              the text the engineer read, where the event holds it
--   tokenizer         the tokenizer that counted the tokens
--   builder           what built it, with its version
--   digest            the digest of its bytes: equal digests are equal contexts
--   history           what it was built from: streams, each with the last event used
--   ablation          the ablation it was made in; null for one of a run
--   happened_at       when it was built (UTC)
--   id                the event
--   run_id            the identity of the run

CREATE TABLE log.contexts (
  id UUID,
  stream VARCHAR,
  revision BIGINT,
  happened_at TIMESTAMP,
  run_id VARCHAR,
  stage BIGINT,
  context_form VARCHAR,
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
  id, stream, revision, happened_at, run_id, stage, data.contextForm.name, data.contextForm.modules, data.tokens,
  -- A map has each key once, even where the event repeats a module.
  map_from_entries(list_filter(
    list_transform(data.modules, lambda one: {'key': one.module, 'value': one.tokens}),
    lambda one, i: one.key IS NOT NULL
      AND list_position(list_transform(data.modules, lambda other: other.module), one.key) = i
  )),
  data.budget, data.truncated, data.without, data.text ->> '$.text', data.tokenizer, data.builder, data.digest,
  data.history
FROM batch;

CREATE VIEW contexts AS
SELECT
  n.run, c.stage, c.stage - 1 AS evidence_through, c.context_form, c.modules, c.tokens, c.module_tokens, c.budget, c.truncated, c.without,
  coalesce(l.evidence_ids, 0) AS evidence_ids, c.text, c.tokenizer, c.builder, c.digest, c.history,
  ablation_in(c.stream) AS ablation, c.happened_at, c.id, c.run_id
FROM log.contexts AS c
LEFT JOIN (SELECT id, count(*) AS evidence_ids FROM log.context_evidence GROUP BY id) AS l ON l.id = c.id
LEFT JOIN log.run_names AS n ON n.run_id = c.run_id;
