-- Changes of knobs: a row each knob that an adopted configuration turned: by how much, why, on which evidence, and what its
-- group did before and after.
--
--   run           the run
--   for_stage     the stage it was turned for: what came of it is this stage's
--   group_name    the group the knob belongs to; null: it concerns all of them
--   knob          the knob, as people write it: 8.hole
--   word          what it is called within its group: hole
--   from_value    what it was; null where it had no value
--   to_value      what it became; null where it has none any more
--   steps         by how many of the knob's steps; null where its step is not known
--   direction     up or down; null where it had or has no value
--   decided_by    engineer, human, initial, carried-over; null where no decision was recorded
--   engineer      the engineer that was asked, or the person
--   says          why it was turned, in words; null where nobody said
--   because       the evidence labels that are cited; null where nobody said
--   rests_on      the best of what is cited. its group; in part: all groups for a knob of one, or one for a knob of all;
--                 another group; unknown: no such label was shown; nothing: none is cited; no context: nobody knows what
--                 was shown
--   cites         what each label stands for: its module and its group; a label that was not shown has neither
--   clamped       whether the value that was proposed was moved to an allowed one
--   proposed      the value that was proposed, where it was
--   valid_before  how often its group succeeded in the validation of the stage before; of all groups, where it has none
--   before_low    the lower end of its 95 % interval
--   before_high   the upper end
--   valid_after   how often it succeeded in the validation of the stage the knob was turned for
--   after_low     the lower end of its 95 % interval
--   after_high    the upper end
--   gain          valid_after less valid_before
--   probe_before  how often it succeeded at the probe pool in the stage before, as it was summed up for engineers
--   probe_before_low   the lower end of its 95 % interval; null over all groups
--   probe_before_high  the upper end
--   probe_after   how often it succeeded at the probe pool in the stage the knob was turned for
--   probe_after_low    the lower end of its 95 % interval; null over all groups
--   probe_after_high   the upper end
--   probe_gain    probe_after less probe_before
--   harder        whether tasks get harder with more of it or with less
--   form          the form of the context that was shown
--   environment   the environment
--   decision      the decision: decisions.id
--   proposal      the proposal: proposals.id
--   run_id        the identity of the run

-- Which knobs the configuration of a stage turned, in a row a stage: what differs from the one of the stage before. Dust that
-- reckoning leaves behind is no difference. Where a configuration is not known, the decision says what it turned.
CREATE VIEW log.turning AS
WITH
course AS (FROM log.course),
-- Nothing is joined with the whole of what is stored: only what is asked about is looked for there.
decided AS (
  SELECT
    c.run, c.run_id, c.stage, d.decided_by, d.form, d.proposal, d.changes, d.clamps, d.context, d.context_event
  FROM course AS c JOIN log.adoptions AS d ON d.id = c.decision
),
described AS (
  SELECT
    c.run, c.run_id, any_value(d.shares) AS shares,
    any_value(list_transform(d.groups, lambda one: one."group")) AS groups,
    any_value(list_transform(d.knobs, lambda one: {'name': one.name, 'step': one.step, 'harder': one.harder})) AS known
  FROM (SELECT DISTINCT run, run_id, described_by, described_at FROM course) AS c
  JOIN log.descriptors AS d ON d.run_id = c.described_by AND d.revision = c.described_at
  GROUP BY c.run, c.run_id
)
SELECT
  * EXCLUDE (moved, known),
  list_sort(list_filter(
    list_transform(moved, lambda one: {
      'place': one.place, 'knob': one.knob, 'group_name': one.group_name, 'from_value': one.from_value,
      'to_value': one.to_value, 'known': list_filter(known, lambda other: other.name = one.knob)[1]
    }),
    lambda one: CASE
      WHEN one.from_value IS NULL OR one.to_value IS NULL THEN true
      ELSE abs(one.to_value - one.from_value)
        > 1e-9 * coalesce(one.known.step, greatest(abs(one.from_value), abs(one.to_value)))
    END
  )) AS turned
FROM (
  SELECT
    c.* EXCLUDE (recorder), c.recorder AS recorded_by, coalesce(c.recorder, c.decider) AS recorder,
    s.knobs, k.* EXCLUDE (run, run_id), d.* EXCLUDE (run, run_id, stage),
    list_filter(
      CASE
        WHEN s.run_id IS NULL OR b.run_id IS NULL THEN list_transform(d.changes, lambda one, place: {
          'place': place, 'knob': one.knob, 'group_name': one."group", 'from_value': one."from", 'to_value': one."to"
        })
        ELSE list_concat(
          -- Most often a knob stands where it stood.
          list_transform(s.knobs, lambda one, place: {
            'place': place, 'knob': one.knob, 'group_name': one."group",
            'from_value': CASE
              WHEN b.knobs[place].knob = one.knob THEN b.knobs[place]."value"
              ELSE list_filter(b.knobs, lambda other: other.knob = one.knob)[1]."value"
            END,
            'to_value': one."value"
          }),
          list_filter(
            list_transform(b.knobs, lambda one, place: {
              'place': place, 'knob': one.knob, 'group_name': one."group", 'from_value': one."value",
              'to_value': NULL::DOUBLE
            }),
            lambda one, place: CASE
              WHEN s.knobs[place].knob = one.knob THEN false
              ELSE len(list_filter(s.knobs, lambda other: other.knob = one.knob)) = 0
            END
          )
        )
      END,
      lambda one: one.from_value IS DISTINCT FROM one.to_value
    ) AS moved
  FROM course AS c
  LEFT JOIN (
    SELECT c.run, c.run_id, c.stage, s.knobs FROM course AS c JOIN log.configurations AS s ON s.id = c.configuration
  ) AS s ON s.run = c.run AND s.run_id = c.run_id AND s.stage = c.stage
  LEFT JOIN (
    SELECT c.run, c.run_id, c.stage, b.knobs FROM course AS c JOIN log.configurations AS b ON b.id = c.configuration
  ) AS b ON b.run = c.run AND b.run_id = c.run_id AND b.stage = c.stage - 1
  LEFT JOIN decided AS d ON d.run = c.run AND d.run_id = c.run_id AND d.stage = c.stage
  LEFT JOIN described AS k ON k.run = c.run AND k.run_id = c.run_id
);

CREATE VIEW knob_changes AS
WITH
-- A context is named by its event, or else by what was shown.
course AS (
  SELECT t.*, coalesce(e.id, c.id) AS shown
  FROM log.turning AS t
  LEFT JOIN log.contexts AS e ON e.id = t.context_event
  LEFT JOIN (SELECT run_id, digest, arg_max(id, revision) AS id FROM log.contexts GROUP BY run_id, digest) AS c
    ON c.run_id = t.decider AND c.digest = CASE WHEN t.context_event IS NULL THEN t.context END
),
rates AS (
  SELECT
    c.run, c.run_id, c.stage, r.group_name, {'valid': r.valid, 'low': r.valid_low, 'high': r.valid_high} AS rate,
    NULL AS probe
  FROM course AS c JOIN log.rated AS r ON r.id = c.validation
  UNION ALL
  SELECT c.run, c.run_id, c.stage, p.group_name, NULL, {'valid': p.valid, 'low': p.low, 'high': p.high}
  FROM course AS c JOIN log.probed AS p ON p.id = c.behaviour
),
-- What a stage came to stands after the changes for it, and before those for the next.
moves AS (
  SELECT
    run, run_id, stage + later AS stage, group_name,
    any_value(rate) FILTER (later = 1) AS before, any_value(rate) FILTER (later = 0) AS after,
    any_value(probe) FILTER (later = 1) AS probe_before, any_value(probe) FILTER (later = 0) AS probe_after
  FROM (SELECT *, unnest([0, 1]) AS later FROM rates)
  GROUP BY run, run_id, stage + later, group_name
),
labels AS (
  SELECT c.run, c.run_id, c.stage, list({'label': l.label, 'module': l.module, 'group_name': l.group_name}) AS found
  FROM (
    SELECT
      run, run_id, stage, shown, unnest(list_distinct(flatten(list_transform(changes, lambda one: one.because)))) AS label
    FROM course
  ) AS c
  JOIN log.context_labels AS l ON l.id = c.shown AND l.label = c.label
  GROUP BY c.run, c.run_id, c.stage
)
SELECT
  t.run, t.stage AS for_stage, t.group_name, t.knob, knob_word(t.knob, t.group_name) AS word,
  t.turn.from_value AS from_value, t.turn.to_value AS to_value,
  round((t.turn.to_value - t.turn.from_value) / t.turn.known.step, 6) AS steps,
  CASE WHEN t.turn.to_value > t.turn.from_value THEN 'up' WHEN t.turn.to_value < t.turn.from_value THEN 'down' END AS direction,
  t.decided_by, w.engineer, t.reason.says AS says, t.reason.because AS because,
  CASE list_min(list_transform(t.cited, lambda one: CASE
    WHEN t.shown IS NULL THEN 5
    WHEN one.found IS NULL THEN 4
    WHEN one.found.group_name IS NOT DISTINCT FROM t.reason."group" THEN 1
    WHEN one.found.group_name IS NULL OR t.reason."group" IS NULL THEN 2
    ELSE 3
  END))
    WHEN 1 THEN 'its group'
    WHEN 2 THEN 'in part'
    WHEN 3 THEN 'another group'
    WHEN 4 THEN 'unknown'
    WHEN 5 THEN 'no context'
    ELSE 'nothing'
  END AS rests_on,
  CASE WHEN len(t.cited) > 0 THEN list_transform(t.cited, lambda one: {
    'label': one.label, 'module': one.found.module, 'group_name': one.found.group_name
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
      *, turn.knob AS knob, turn.group_name AS group_name,
      list_filter(changes, lambda other: other.knob = turn.knob)[1] AS reason
    FROM (SELECT * EXCLUDE (turned, knobs, shares, groups), unnest(turned) AS turn FROM course WHERE recorder = run_id)
  ) AS t
  LEFT JOIN labels AS l ON l.run = t.run AND l.run_id = t.run_id AND l.stage = t.stage
) AS t
LEFT JOIN log.begun_runs AS r ON r.run_id = t.run_id
LEFT JOIN log.deciders AS w ON w.id = t.decision
LEFT JOIN moves AS m
  ON m.run = t.run AND m.run_id = t.run_id AND m.stage = t.stage AND m.group_name IS NOT DISTINCT FROM t.group_name;
