-- Erasures: texts that Redacted events say were destroyed. The events that name them remain. Whether a redaction is
-- authorised is not decided here: `icecore verify` lists those that are not (`redaction-ignored`).

CREATE TABLE log.erasures (
  id UUID,               -- the event of the erasure
  happened_at TIMESTAMP, -- when (UTC)
  actor VARCHAR,         -- who did it, as kind/identity
  run_id VARCHAR,        -- the identity of the run
  stage BIGINT,          -- its stage
  reason VARCHAR,        -- why
  event UUID,            -- the event that had the text
  stream VARCHAR,        -- the stream of that event
  field VARCHAR,         -- the field that names the text: data.completion
  blob VARCHAR           -- the blob that was destroyed
);

-- fill from Redacted
INSERT INTO log.erasures
SELECT
  id, happened_at, actor, run_id, stage, reason, try_cast(erased.event AS UUID), erased.stream, erased.field,
  erased.blob
FROM (SELECT *, data.reason, unnest(data.erased) AS erased FROM batch);

CREATE VIEW erasures AS
SELECT
  n.run, -- the run; null where the text belonged to none
  e.stage, e.event, e.field, e.blob, e.reason, e.actor, e.stream, e.happened_at, e.id, e.run_id
FROM log.erasures AS e
LEFT JOIN log.run_names AS n ON n.run_id = e.run_id;
