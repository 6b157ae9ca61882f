-- Notes: annotations of a run, or of one of its stages, knobs or events.
--
--   run          the run
--   stage        the stage it is about; null: the run as a whole
--   knob         the knob it is about
--   note         the text of the note
--   tags         its tags
--   actor        who wrote it, as kind/identity
--   event        the event it is about
--   happened_at  when it was written (UTC)
--   id           the event of the note
--   run_id       the identity of the run

CREATE TABLE log.notes (
  id UUID,
  happened_at TIMESTAMP,
  actor VARCHAR,
  run_id VARCHAR,
  stage BIGINT,
  note VARCHAR,
  event UUID,
  knob VARCHAR,
  tags VARCHAR[]
);

-- fill from RunAnnotated
INSERT INTO log.notes
SELECT
  id, happened_at, actor, run_id, stage, data.note, try_cast(data.event AS UUID), data.knob, data.tags
FROM batch;

CREATE VIEW notes AS
SELECT n.run, o.stage, o.knob, o.note, o.tags, o.actor, o.event, o.happened_at, o.id, o.run_id
FROM log.notes AS o
LEFT JOIN log.run_names AS n ON n.run_id = o.run_id;
