-- Notes: annotations of a run, or of one of its stages, knobs or events.

-- fill from RunAnnotated
CREATE TABLE log.notes (
  id UUID,                      -- the event of the note
  happened_at TIMESTAMP,        -- when it was written (UTC)
  actor VARCHAR,                -- who wrote it, as kind/identity
  run_id VARCHAR,               -- the identity of the run
  stage BIGINT,                 -- the stage it is about; null: the run as a whole
  note VARCHAR AS (data.note),  -- the text of the note
  event UUID AS (try_cast(data.event AS UUID)), -- the event it is about
  knob VARCHAR AS (data.knob),  -- the knob it is about
  tags VARCHAR[] AS (data.tags) -- its tags
);

CREATE VIEW notes AS
SELECT
  n.run, -- the run
  o.stage, o.knob, o.note, o.tags, o.actor, o.event, o.happened_at, o.id, o.run_id
FROM log.notes AS o
LEFT JOIN log.run_names AS n ON n.run_id = o.run_id;
