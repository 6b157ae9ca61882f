-- Changes of knobs: a row each knob that an adopted configuration turned: by how much, why, on which evidence, and what its
-- family did before and after.
--
--   run           the run
--   for_stage     the stage it was turned for: what came of it is this stage's
--   family    the family the knob belongs to; null: it concerns all of them
--   knob          the knob, as people write it: 8.hole
--   word          what it is called within its family: hole
--   from_value    what it was; null where it had no value
--   to_value      what it became; null where it has none any more
--   steps         by how many of the knob's steps; null where its step is not known
--   direction     up or down; null where it had or has no value
--   decided_by    engineer, human, initial, kept, errored; null where no decision was recorded
--   engineer      the engineer that was asked, or the person
--   says          why it was turned, in words; null where nobody said
--   because       the evidence labels that are cited; null where nobody said
--   rests_on      the best of what is cited. its family; in part: all families for a knob of one, or one for a knob of all;
--                 another family; unknown: no such label was shown; nothing: none is cited; no context: nobody knows what
--                 was shown
--   cites         what each label stands for: its module and its family; a label that was not shown has neither
--   clamped       whether the value that was proposed was moved to an allowed one
--   proposed      the value that was proposed, where it was
--   valid_before  how often its family succeeded in the validation of the stage before; of all families, where it has none
--   before_low    the lower end of its 95 % interval
--   before_high   the upper end
--   valid_after   how often it succeeded in the validation of the stage the knob was turned for
--   after_low     the lower end of its 95 % interval
--   after_high    the upper end
--   gain          valid_after less valid_before
--   probe_before  how often it succeeded at the probe pool in the stage before, as it was summed up for engineers
--   probe_before_low   the lower end of its 95 % interval; null over all families
--   probe_before_high  the upper end
--   probe_after   how often it succeeded at the probe pool in the stage the knob was turned for
--   probe_after_low    the lower end of its 95 % interval; null over all families
--   probe_after_high   the upper end
--   probe_gain    probe_after less probe_before
--   harder        whether tasks get harder with more of it or with less
--   form          the form of the context that was shown
--   environment   the environment
--   decision      the decision: decisions.id
--   proposal      the proposal: proposals.id
--   run_id        the identity of the run

-- What of a descriptor changes of knobs and what became of them are told by.
CREATE VIEW log.describing AS
SELECT
  run_id AS described_by, revision AS described_at, shares, list_transform(families, lambda one: one.family) AS families,
  list_transform(knobs, lambda one: {'name': one.name, 'step': one.step, 'harder': one.harder}) AS known
FROM log.descriptors;

-- A context is named by its event, or else by what was shown: then it is the last one of that.
CREATE VIEW log.last_contexts AS
SELECT run_id, digest, arg_max(id, revision) AS id FROM log.contexts GROUP BY run_id, digest;

CREATE VIEW knob_changes AS
WITH
-- Nothing is joined with the whole of what is stored: only what is asked about is looked for there.
course AS (FROM log.course),
turning AS (
  SELECT
    c.run, c.run_id, c.stage, c.decision, d.decided_by, d.form, d.proposal, d.changes, d.clamps, coalesce(e.id, x.id) AS shown,
    unnest(turned_knobs(s.knobs, b.knobs, d.changes, k.known)) AS turn
  FROM (FROM course WHERE coalesce(recorder, decider) = run_id) AS c
  LEFT JOIN (
    SELECT c.run, c.run_id, c.stage, s.knobs FROM course AS c JOIN log.configurations AS s ON s.id = c.configuration
  ) AS s ON s.run = c.run AND s.run_id = c.run_id AND s.stage = c.stage
  LEFT JOIN (
    SELECT c.run, c.run_id, c.stage, b.knobs FROM course AS c JOIN log.configurations AS b ON b.id = c.configuration
  ) AS b ON b.run = c.run AND b.run_id = c.run_id AND b.stage = c.stage - 1
  LEFT JOIN (
    SELECT c.run, c.run_id, c.stage, d.* EXCLUDE (run_id) FROM course AS c JOIN log.adoptions AS d ON d.id = c.decision
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
-- What a stage came to stands after the changes for it, and before those for the next.
moves AS (
  SELECT
    run, run_id, stage + later AS stage, family,
    any_value(rate) FILTER (later = 1) AS before, any_value(rate) FILTER (later = 0) AS after,
    any_value(probe) FILTER (later = 1) AS probe_before, any_value(probe) FILTER (later = 0) AS probe_after
  FROM (SELECT *, unnest([0, 1]) AS later FROM rates)
  GROUP BY run, run_id, stage + later, family
),
labels AS (
  SELECT c.run, c.run_id, c.stage, list({'label': l.label, 'module': l.module, 'family': l.family}) AS found
  FROM (
    SELECT
      c.run, c.run_id, c.stage, coalesce(e.id, x.id) AS shown,
      unnest(list_distinct(flatten(list_transform(d.changes, lambda one: one.because)))) AS label
    FROM course AS c
    JOIN log.adoptions AS d ON d.id = c.decision
    LEFT JOIN log.contexts AS e ON e.id = d.context_event
    LEFT JOIN log.last_contexts AS x
      ON x.run_id = c.decider AND x.digest = CASE WHEN d.context_event IS NULL THEN d.context END
  ) AS c
  JOIN log.context_labels AS l ON l.id = c.shown AND l.label = c.label
  GROUP BY c.run, c.run_id, c.stage
)
SELECT
  t.run, t.stage AS for_stage, t.family, t.knob, knob_word(t.knob, t.family) AS word,
  t.turn.from_value AS from_value, t.turn.to_value AS to_value,
  round((t.turn.to_value - t.turn.from_value) / t.turn.known.step, 6) AS steps,
  CASE WHEN t.turn.to_value > t.turn.from_value THEN 'up' WHEN t.turn.to_value < t.turn.from_value THEN 'down' END AS direction,
  t.decided_by, w.engineer, t.reason.says AS says, t.reason.because AS because,
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
    'label': one.label, 'module': one.found.module, 'family': one.found.family
  }) END AS cites,
  coalesce(len(t.clamped) > 0, false) AS clamped, t.clamped[1].proposed AS proposed,
  m.before.valid AS valid_before, m.before.low AS before_low, m.before.high AS before_high,
  m.after.valid AS valid_after, m.after.low AS after_low, m.after.high AS after_high,
  m.after.valid - m.before.valid AS gain,
  m.probe_before.valid AS probe_before, m.probe_before.low AS probe_before_low, m.probe_before.high AS probe_before_high,
  m.probe_after.valid AS probe_after, m.probe_after.low AS probe_after_low, m.probe_after.high AS probe_after_high,
  m.probe_after.valid - m.probe_before.valid AS probe_gain,
  t.turn.known.harder AS harder, t.form, r.environment, t.decision, t.proposal, t.run_id
FROM (
  SELECT
    t.*, list_filter(t.clamps, lambda other: other.knob = t.knob) AS clamped,
    list_transform(list_sort(list_distinct(t.reason.because)), lambda label: {
      'label': label, 'found': list_filter(l.found, lambda other: other.label = label)[1]
    }) AS cited
  FROM (
    SELECT
      *, turn.knob AS knob, turn.family AS family,
      list_filter(changes, lambda other: other.knob = turn.knob)[1] AS reason
    FROM turning
  ) AS t
  LEFT JOIN labels AS l ON l.run = t.run AND l.run_id = t.run_id AND l.stage = t.stage
) AS t
LEFT JOIN log.begun_runs AS r ON r.run_id = t.run_id
LEFT JOIN log.deciders AS w ON w.id = t.decision
LEFT JOIN moves AS m
  ON m.run = t.run AND m.run_id = t.run_id AND m.stage = t.stage AND m.family IS NOT DISTINCT FROM t.family;
