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

-- Probe rates as they were summed up for engineers.
CREATE VIEW log.probe_rates AS
WITH
summed AS (
  SELECT h.run_id, h.stage, s.id
  FROM log.history AS h
  JOIN log.summaries AS s ON s.run_id = h.recorder AND s.stage = h.stage AND s.revision <= h.upto
  WHERE s.module = 'behaviour' AND starts_with(s.stream, 'run-')
  QUALIFY s.revision = max(s.revision) OVER (PARTITION BY h.run_id, h.stage)
),
told AS (
  SELECT s.run_id, s.stage, f.group_name, f.value, f.count, f.out_of, f.low, f.high
  FROM summed AS s JOIN log.facts AS f ON f.id = s.id
  WHERE f.measure = 'valid' AND f.about IS NULL
)
-- How sure a rate is follows from the number of tasks, which are not told over all groups.
SELECT run_id, stage, group_name, value, low, high FROM told
UNION ALL
SELECT run_id, stage, NULL, sum(count) / sum(out_of), NULL, NULL FROM told GROUP BY run_id, stage
HAVING count(*) = count(group_name) AND count(*) = count(out_of) AND sum(out_of) > 0;

-- What differs between the configurations of a stage and of the one before it. Dust that reckoning leaves behind is no
-- difference. Where a configuration is not known, the decision says what it turned.
CREATE VIEW log.turned AS
WITH
settings AS MATERIALIZED (SELECT run_id, stage, recorder, place, knob, group_name, value FROM log.settings),
-- Also of no knobs at all.
configured AS (SELECT run_id, stage, recorder FROM log.configured),
pairs AS (
  SELECT o.run_id, o.stage, o.recorder FROM configured AS o
  SEMI JOIN configured AS b ON b.run_id = o.run_id AND b.stage = o.stage - 1
),
values_of AS (
  SELECT p.run_id, p.stage, p.recorder, s.knob, s.group_name, s.value, s.stage = p.stage AS is_new, s.place
  FROM pairs AS p JOIN settings AS s ON s.run_id = p.run_id AND s.stage IN (p.stage, p.stage - 1)
),
moved AS (
  SELECT
    run_id, stage, recorder, knob, arg_max(group_name, is_new) AS group_name, arg_max(place, is_new) AS place,
    any_value(value) FILTER (NOT is_new) AS from_value, any_value(value) FILTER (is_new) AS to_value
  FROM values_of GROUP BY run_id, stage, recorder, knob
  UNION ALL
  SELECT
    s.run_id, s.for_stage, coalesce(h.recorder, s.recorder), s.one.knob, s.one."group", s.place, s.one."from", s.one."to"
  FROM (
    SELECT run_id, for_stage, recorder, unnest(changes) AS one, generate_subscripts(changes, 1) AS place FROM log.decided
  ) AS s
  LEFT JOIN log.history AS h ON h.run_id = s.run_id AND h.stage = s.for_stage
  ANTI JOIN pairs AS p ON p.run_id = s.run_id AND p.stage = s.for_stage
)
SELECT
  m.run_id, m.recorder, m.stage AS for_stage, m.knob, m.group_name, m.place, m.from_value, m.to_value,
  round((m.to_value - m.from_value) / k.step, 6) AS steps, k.harder
FROM moved AS m
LEFT JOIN log.described_knobs AS k ON k.run_id = m.run_id AND k.knob = m.knob
WHERE CASE
  WHEN m.from_value IS NULL OR m.to_value IS NULL THEN m.from_value IS DISTINCT FROM m.to_value
  ELSE abs(m.to_value - m.from_value) > 1e-9 * coalesce(k.step, greatest(abs(m.from_value), abs(m.to_value)))
END;

CREATE VIEW log.citations AS
WITH
said AS (
  SELECT id, run_id, context, context_event, unnest(changes) AS one
  FROM log.adoptions
),
-- A context is named by its event, or else by what was shown.
contexts AS (
  SELECT s.id, s.run_id, coalesce(s.context_event, c.id) AS shown
  FROM (SELECT DISTINCT id, run_id, context, context_event FROM said) AS s
  LEFT JOIN log.contexts AS c
    ON c.run_id = s.run_id AND c.digest = CASE WHEN s.context_event IS NULL THEN s.context END
  QUALIFY row_number() OVER (PARTITION BY s.id ORDER BY c.revision DESC) = 1
),
cited AS (
  SELECT s.id, s.one.knob AS knob, s.one."group" AS group_name, unnest(list_distinct(s.one.because)) AS label, c.shown
  FROM said AS s JOIN contexts AS c ON c.id = s.id
)
SELECT
  c.id, c.knob,
  list({'label': c.label, 'module': l.module, 'group_name': l.group_name} ORDER BY c.label) AS cites,
  CASE min(CASE
    WHEN k.id IS NULL THEN 5
    WHEN l.label IS NULL THEN 4
    WHEN l.group_name IS NOT DISTINCT FROM c.group_name THEN 1
    WHEN l.group_name IS NULL OR c.group_name IS NULL THEN 2
    ELSE 3
  END)
    WHEN 1 THEN 'its group'
    WHEN 2 THEN 'in part'
    WHEN 3 THEN 'another group'
    WHEN 4 THEN 'unknown'
    ELSE 'no context'
  END AS rests_on
FROM cited AS c
LEFT JOIN log.contexts AS k ON k.id = c.shown
LEFT JOIN log.context_labels AS l ON l.id = c.shown AND l.label = c.label
GROUP BY c.id, c.knob;

CREATE VIEW knob_changes AS
WITH
validation AS MATERIALIZED (SELECT * FROM log.validation),
probe_rates AS MATERIALIZED (SELECT * FROM log.probe_rates),
said AS (SELECT id, unnest(changes) AS one FROM log.adoptions),
clamped AS (SELECT id, unnest(clamps) AS one FROM log.adoptions)
SELECT
  n.run, t.for_stage, t.group_name, t.knob, knob_word(t.knob, t.group_name) AS word, t.from_value, t.to_value, t.steps,
  CASE WHEN t.to_value > t.from_value THEN 'up' WHEN t.to_value < t.from_value THEN 'down' END AS direction,
  d.decided_by, w.engineer, s.one.says AS says, s.one.because AS because, coalesce(c.rests_on, 'nothing') AS rests_on,
  c.cites, m.id IS NOT NULL AS clamped, m.proposed,
  b.valid AS valid_before, b.valid_low AS before_low, b.valid_high AS before_high,
  a.valid AS valid_after, a.valid_low AS after_low, a.valid_high AS after_high, a.valid - b.valid AS gain,
  pb.value AS probe_before, pb.low AS probe_before_low, pb.high AS probe_before_high,
  pa.value AS probe_after, pa.low AS probe_after_low, pa.high AS probe_after_high, pa.value - pb.value AS probe_gain,
  t.harder, d.form, r.environment, d.id AS decision, d.proposal, t.run_id
FROM log.turned AS t
JOIN log.run_names AS n ON n.run_id = t.run_id
LEFT JOIN log.begun_runs AS r ON r.run_id = t.run_id
LEFT JOIN log.decided AS d ON d.run_id = t.run_id AND d.for_stage = t.for_stage
LEFT JOIN log.deciders AS w ON w.id = d.id
LEFT JOIN said AS s ON s.id = d.id AND s.one.knob = t.knob
LEFT JOIN log.citations AS c ON c.id = d.id AND c.knob = t.knob
LEFT JOIN (SELECT id, one.knob AS knob, arg_min(one.proposed, 1) AS proposed FROM clamped GROUP BY ALL) AS m
  ON m.id = d.id AND m.knob = t.knob
LEFT JOIN validation AS b
  ON b.run_id = t.run_id AND b.stage = t.for_stage - 1 AND b.group_name IS NOT DISTINCT FROM t.group_name
LEFT JOIN validation AS a
  ON a.run_id = t.run_id AND a.stage = t.for_stage AND a.group_name IS NOT DISTINCT FROM t.group_name
LEFT JOIN probe_rates AS pb
  ON pb.run_id = t.run_id AND pb.stage = t.for_stage - 1 AND pb.group_name IS NOT DISTINCT FROM t.group_name
LEFT JOIN probe_rates AS pa
  ON pa.run_id = t.run_id AND pa.stage = t.for_stage AND pa.group_name IS NOT DISTINCT FROM t.group_name
WHERE t.recorder = t.run_id;
