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

-- filled from decisions
CREATE TABLE log.contexts (
  owner VARCHAR,
  stage BIGINT,
  evidence_through BIGINT,
  context_form VARCHAR,
  modules VARCHAR[],
  tokens BIGINT,
  module_tokens MAP(VARCHAR, BIGINT),
  budget BIGINT,
  truncated STRUCT("module" VARCHAR, what VARCHAR, kept BIGINT, dropped BIGINT)[],
  without VARCHAR[],
  evidence_ids BIGINT,
  text VARCHAR,
  tokenizer VARCHAR,
  builder VARCHAR,
  digest VARCHAR,
  history STRUCT(stream VARCHAR, revision BIGINT)[],
  ablation VARCHAR,
  happened_at TIMESTAMP,
  id UUID,
  run_id VARCHAR
);

CREATE VIEW contexts AS
SELECT n.run, c.* EXCLUDE (owner)
FROM log.contexts AS c
LEFT JOIN log.run_names AS n ON n.run_id = c.run_id;
