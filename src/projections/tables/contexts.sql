-- Contexts: what an engineer was shown, built only from history up to a recorded event.

-- filled from decisions, shown with run: the run
CREATE TABLE log.contexts (
  owner VARCHAR,
  stage BIGINT,                       -- the stage being configured
  evidence_through BIGINT,            -- the last stage with evidence in it
  context_form VARCHAR,               -- the preset of modules; null where it has no name
  modules VARCHAR[],                  -- the modules, in order
  tokens BIGINT,                      -- its length in tokens
  module_tokens MAP(VARCHAR, BIGINT), -- tokens of each module: module_tokens['stats']
  budget BIGINT,                      -- the maximum number of tokens; 0: no limit
  truncated STRUCT("module" VARCHAR, what VARCHAR, kept BIGINT, dropped BIGINT)[], -- what was truncated, each with how
                                      -- much was kept
  without VARCHAR[],                  -- items left out on purpose, to see what they change
  evidence_ids BIGINT,                -- number of items that can be cited: table context_evidence
  text VARCHAR,                       -- the text the engineer read, where the event holds it
  tokenizer VARCHAR,                  -- the tokenizer that counted the tokens
  builder VARCHAR,                    -- what built it, with its version
  digest VARCHAR,                     -- the digest of its bytes: equal digests are equal contexts
  history STRUCT(stream VARCHAR, revision BIGINT)[], -- what it was built from: streams, each with the last event used
  ablation VARCHAR,                   -- the ablation it was made in; null for one of a run
  happened_at TIMESTAMP,              -- when it was built (UTC)
  id UUID,                            -- the event
  run_id VARCHAR                      -- the identity of the run
);
