-- Changes of knobs: one row for each knob that an adopted configuration changed: by how much, why, on which evidence,
-- and the results of its family before and after.
--
--   run                the run
--   stage              the stage it was changed for, which shows the effect
--   family             the family of the knob; null: it concerns all families
--   knob               the full name of the knob: 8.hole
--   short_name         its name within its family: hole
--   from_value         its value before; null where it had none
--   to_value           its new value; null where it has none any more
--   steps              the change in steps of the knob; null where its step is not known
--   direction          up or down; null where it had or has no value
--   decided_by         engineer, human, initial, kept, errored; null where no decision was recorded
--   engineer           the engineer that was asked, or the person
--   reason             why it was changed, in words; null where no reason was given
--   cites              the evidence ids it cites; null where none were given
--   rests_on           how close the cited evidence is, at best. its family; in part: evidence of all families for a
--                      knob of one family, or of one family for a knob of all; another family; unknown: no such
--                      evidence id was shown; nothing: nothing is cited; no context: the context is not known
--   cited_evidence     what each cited evidence id refers to: its module and its family; an evidence id that was not
--                      shown has neither
--   clamped            whether the proposed value was moved to an allowed one
--   proposed           the proposed value, where it was moved
--   valid_before       the valid rate of its family in the validation of the stage before; of all families, where it
--                      has no family
--   before_low         the lower end of its 95 % interval
--   before_high        the upper end
--   valid_after        the same rate in the validation of the stage the knob was changed for
--   after_low          the lower end of its 95 % interval
--   after_high         the upper end
--   gain               valid_after minus valid_before
--   probe_before       the valid rate of its family on the probe tasks of the stage before, as summaries have it
--   probe_before_low   the lower end of its 95 % interval; null over all families
--   probe_before_high  the upper end
--   probe_after        the same rate in the stage the knob was changed for
--   probe_after_low    the lower end of its 95 % interval; null over all families
--   probe_after_high   the upper end
--   probe_gain         probe_after minus probe_before
--   harder             whether tasks get harder with more of it or with less
--   context_form       the context form that was shown
--   environment        the environment
--   decision           the decision: decisions.id
--   proposal           the proposal: proposals.id
--   run_id             the identity of the run

-- The parts of a descriptor that describe changes of knobs and their effects.
CREATE VIEW log.describing AS
SELECT
  run_id AS described_by, revision AS described_at, shares, list_transform(families, lambda one: one.family) AS families,
  list_transform(knobs, lambda one: {'name': one.name, 'step': one.step, 'harder': one.harder}) AS known
FROM log.descriptors;

-- A decision names its context by event, or else by digest: then the last context with that digest is meant.
CREATE VIEW log.last_contexts AS
SELECT run_id, digest, arg_max(id, revision) AS id FROM log.contexts GROUP BY run_id, digest;

CREATE VIEW knob_changes AS
WITH
-- Stored tables are joined by the ids in the course, so that a query about one run reads only its rows.
course AS (FROM log.course),
changing AS (
  SELECT
    c.run, c.run_id, c.stage, c.decision, d.decided_by, d.context_form, d.proposal, d.changes, d.clamps, coalesce(e.id, x.id) AS shown,
    unnest(changed_knobs(s.knobs, b.knobs, d.changes, k.known)) AS change
  FROM (FROM course WHERE coalesce(recorder, decider) = run_id) AS c
  LEFT JOIN (
    SELECT c.run, c.run_id, c.stage, s.knobs FROM course AS c JOIN log.configurations AS s ON s.id = c.configuration
  ) AS s ON s.run = c.run AND s.run_id = c.run_id AND s.stage = c.stage
  LEFT JOIN (
    SELECT c.run, c.run_id, c.stage, b.knobs FROM course AS c JOIN log.configurations AS b ON b.id = c.configuration
  ) AS b ON b.run = c.run AND b.run_id = c.run_id AND b.stage = c.stage - 1
  LEFT JOIN (
    SELECT c.run, c.run_id, c.stage, d.* EXCLUDE (run_id, stage) FROM course AS c JOIN log.adoptions AS d ON d.id = c.decision
  ) AS d ON d.run = c.run AND d.run_id = c.run_id AND d.stage = c.stage
  LEFT JOIN (
    SELECT c.run, c.run_id, k.*
    FROM (SELECT DISTINCT run, run_id, described_by, described_at FROM course) AS c
    JOIN log.describing AS k ON k.described_by = c.described_by AND k.described_at = c.described_at
  ) AS k ON k.run = c.run AND k.run_id = c.run_id
  LEFT JOIN log.contexts AS e ON e.id = d.context_event
  LEFT JOIN log.last_contexts AS x
    ON x.run_id = c.decider AND x.digest = CASE WHEN d.context_event IS NULL THEN d.context END
),
rates AS (
  SELECT
    c.run, c.run_id, c.stage, r.family, {'valid': r.valid, 'low': r.valid_low, 'high': r.valid_high} AS rate,
    NULL AS probe
  FROM course AS c JOIN log.rated AS r ON r.id = c.validation
  UNION ALL
  SELECT c.run, c.run_id, c.stage, p.family, NULL, {'valid': p.valid, 'low': p.low, 'high': p.high}
  FROM course AS c JOIN log.probed AS p ON p.id = c.behaviour
),
-- The rates of a stage come after the changes for it, and before those for the next.
moves AS (
  SELECT
    run, run_id, stage + later AS stage, family,
    any_value(rate) FILTER (later = 1) AS before, any_value(rate) FILTER (later = 0) AS after,
    any_value(probe) FILTER (later = 1) AS probe_before, any_value(probe) FILTER (later = 0) AS probe_after
  FROM (SELECT *, unnest([0, 1]) AS later FROM rates)
  GROUP BY run, run_id, stage + later, family
),
shown_evidence AS (
  SELECT c.run, c.run_id, c.stage, list({'evidence_id': l.evidence_id, 'module': l.module, 'family': l.family}) AS found
  FROM (
    SELECT
      c.run, c.run_id, c.stage, coalesce(e.id, x.id) AS shown,
      unnest(list_distinct(flatten(list_transform(d.changes, lambda one: one.cites)))) AS evidence_id
    FROM course AS c
    JOIN log.adoptions AS d ON d.id = c.decision
    LEFT JOIN log.contexts AS e ON e.id = d.context_event
    LEFT JOIN log.last_contexts AS x
      ON x.run_id = c.decider AND x.digest = CASE WHEN d.context_event IS NULL THEN d.context END
  ) AS c
  JOIN log.context_evidence AS l ON l.id = c.shown AND l.evidence_id = c.evidence_id
  GROUP BY c.run, c.run_id, c.stage
)
SELECT
  t.run, t.stage, t.family, t.knob, knob_short_name(t.knob, t.family) AS short_name,
  t.change.from_value AS from_value, t.change.to_value AS to_value,
  round((t.change.to_value - t.change.from_value) / t.change.known.step, 6) AS steps,
  CASE WHEN t.change.to_value > t.change.from_value THEN 'up' WHEN t.change.to_value < t.change.from_value THEN 'down' END AS direction,
  t.decided_by, w.engineer, t.reason.reason AS reason, t.reason.cites AS cites,
  CASE list_min(list_transform(t.cited, lambda one: CASE
    WHEN t.shown IS NULL THEN 5
    WHEN one.found IS NULL THEN 4
    WHEN one.found.family IS NOT DISTINCT FROM t.reason.family THEN 1
    WHEN one.found.family IS NULL OR t.reason.family IS NULL THEN 2
    ELSE 3
  END))
    WHEN 1 THEN 'its family'
    WHEN 2 THEN 'in part'
    WHEN 3 THEN 'another family'
    WHEN 4 THEN 'unknown'
    WHEN 5 THEN 'no context'
    ELSE 'nothing'
  END AS rests_on,
  CASE WHEN len(t.cited) > 0 THEN list_transform(t.cited, lambda one: {
    'evidence_id': one.evidence_id, 'module': one.found.module, 'family': one.found.family
  }) END AS cited_evidence,
  coalesce(len(t.clamped) > 0, false) AS clamped, t.clamped[1].proposed AS proposed,
  m.before.valid AS valid_before, m.before.low AS before_low, m.before.high AS before_high,
  m.after.valid AS valid_after, m.after.low AS after_low, m.after.high AS after_high,
  m.after.valid - m.before.valid AS gain,
  m.probe_before.valid AS probe_before, m.probe_before.low AS probe_before_low, m.probe_before.high AS probe_before_high,
  m.probe_after.valid AS probe_after, m.probe_after.low AS probe_after_low, m.probe_after.high AS probe_after_high,
  m.probe_after.valid - m.probe_before.valid AS probe_gain,
  t.change.known.harder AS harder, t.context_form, r.environment, t.decision, t.proposal, t.run_id
FROM (
  SELECT
    t.*, list_filter(t.clamps, lambda other: other.knob = t.knob) AS clamped,
    list_transform(list_sort(list_distinct(t.reason.cites)), lambda id: {
      'evidence_id': id, 'found': list_filter(l.found, lambda other: other.evidence_id = id)[1]
    }) AS cited
  FROM (
    SELECT
      *, change.knob AS knob, change.family AS family,
      list_filter(changes, lambda other: other.knob = change.knob)[1] AS reason
    FROM changing
  ) AS t
  LEFT JOIN shown_evidence AS l ON l.run = t.run AND l.run_id = t.run_id AND l.stage = t.stage
) AS t
LEFT JOIN log.begun_runs AS r ON r.run_id = t.run_id
LEFT JOIN log.deciders AS w ON w.id = t.decision
LEFT JOIN moves AS m
  ON m.run = t.run AND m.run_id = t.run_id AND m.stage = t.stage AND m.family IS NOT DISTINCT FROM t.family;
