-- Erasures: texts that Redacted events say were destroyed. The events that name them remain. Whether a redaction is
-- authorised is not decided here: `icecore verify` lists those that are not (`redaction-ignored`).
--
--   run          the run; null where the text belonged to none
--   stage        its stage
--   event        the event that had the text
--   field        the field that names the text: data.completion
--   blob         the blob that was destroyed
--   reason       why
--   actor        who did it, as kind/identity
--   stream       the stream of that event
--   happened_at  when (UTC)
--   id           the event of the erasure
--   run_id       the identity of the run

CREATE TABLE log.erasures (
  id UUID,
  happened_at TIMESTAMP,
  actor VARCHAR,
  run_id VARCHAR,
  stage BIGINT,
  reason VARCHAR,
  event UUID,
  stream VARCHAR,
  field VARCHAR,
  blob VARCHAR
);

-- fill from Redacted
INSERT INTO log.erasures
SELECT
  id, happened_at, actor, run_id, stage, reason, try_cast(erased.event AS UUID), erased.stream, erased.field,
  erased.blob
FROM (SELECT *, data.reason, unnest(data.erased) AS erased FROM batch);

CREATE VIEW erasures AS
SELECT
  n.run, e.stage, e.event, e.field, e.blob, e.reason, e.actor, e.stream, e.happened_at, e.id, e.run_id
FROM log.erasures AS e
LEFT JOIN log.run_names AS n ON n.run_id = e.run_id;
