-- Macros: functions that the views use and queries may use.
--
-- wilson_low(hits, out_of), wilson_high(hits, out_of): the ends of Wilson's 95 % interval of a counted share; null where
-- hits is not between 0 and out_of. student_t(freedom): the half-width of the 95 % interval of a mean in standard errors, for
-- that many degrees of freedom. knob_short_name(knob, family): the name of a knob within its family, as hole is for 8.hole.

CREATE MACRO wilson_low(hits, out_of) AS CASE
  WHEN (hits BETWEEN 0 AND out_of AND out_of > 0) IS NOT TRUE THEN NULL
  WHEN hits = 0 THEN 0.0::DOUBLE
  ELSE (hits / out_of + 1.9207294103470627 / out_of
    - 1.959963984540054 * sqrt(hits / out_of * (1 - hits / out_of) / out_of + 0.9603647051735313 / out_of / out_of))
    / (1 + 3.841458820694124 / out_of)
END;

CREATE MACRO wilson_high(hits, out_of) AS CASE
  WHEN (hits BETWEEN 0 AND out_of AND out_of > 0) IS NOT TRUE THEN NULL
  WHEN hits = out_of THEN 1.0::DOUBLE
  ELSE (hits / out_of + 1.9207294103470627 / out_of
    + 1.959963984540054 * sqrt(hits / out_of * (1 - hits / out_of) / out_of + 0.9603647051735313 / out_of / out_of))
    / (1 + 3.841458820694124 / out_of)
END;

-- From a table for few degrees of freedom; beyond, by the Cornish-Fisher expansion.
CREATE MACRO student_t(freedom) AS CASE
  WHEN freedom < 1 THEN NULL
  WHEN freedom <= 20 THEN [
    12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157, 2.228139,
    2.200985, 2.178813, 2.160369, 2.144787, 2.131450, 2.119905, 2.109816, 2.100922, 2.093024, 2.085963
  ][freedom::INTEGER]::DOUBLE
  ELSE 1.959963984540054 + 2.372271 / freedom + 2.822499 / freedom ** 2 + 2.555850 / freedom ** 3
    + 1.589534 / freedom ** 4
END;

CREATE MACRO knob_short_name(knob, family) AS CASE
  WHEN family IS NOT NULL AND starts_with(knob, family || '.') THEN substr(knob, length(family) + 2)
  ELSE knob
END;

-- The ablation a stream belongs to; null for none.
CREATE MACRO ablation_in(stream) AS CASE WHEN starts_with(stream, 'ablation-') THEN substr(stream, 10) END;

-- The knobs that differ between a configuration and the one before; where either is not known, the changes of the decision.
CREATE MACRO moved_knobs(knobs, earlier, changes) AS list_filter(
  CASE
    WHEN knobs IS NULL OR earlier IS NULL THEN list_transform(changes, lambda one, i: {
      'position': i, 'knob': one.knob, 'family': one.family, 'from_value': one."from", 'to_value': one."to"
    })
    ELSE list_concat(
      -- Most knobs keep their position.
      list_transform(knobs, lambda one, i: {
        'position': i, 'knob': one.knob, 'family': one.family,
        'from_value': CASE
          WHEN earlier[i].knob = one.knob THEN earlier[i]."value"
          ELSE list_filter(earlier, lambda other: other.knob = one.knob)[1]."value"
        END,
        'to_value': one."value"
      }),
      list_filter(
        list_transform(earlier, lambda one, i: {
          'position': i, 'knob': one.knob, 'family': one.family, 'from_value': one."value", 'to_value': NULL::DOUBLE
        }),
        lambda one, i: CASE
          WHEN knobs[i].knob = one.knob THEN false
          ELSE len(list_filter(knobs, lambda other: other.knob = one.knob)) = 0
        END
      )
    )
  END,
  lambda one: one.from_value IS DISTINCT FROM one.to_value
);

-- Those of them that differ by more than rounding errors, with what is known of each knob: its step.
CREATE MACRO changed_knobs(knobs, earlier, changes, known) AS list_sort(list_filter(
  list_transform(moved_knobs(knobs, earlier, changes), lambda one: {
    'position': one.position, 'knob': one.knob, 'family': one.family, 'from_value': one.from_value,
    'to_value': one.to_value, 'known': list_filter(known, lambda other: other.name = one.knob)[1]
  }),
  lambda one: CASE
    WHEN one.from_value IS NULL OR one.to_value IS NULL THEN true
    ELSE abs(one.to_value - one.from_value)
      > 1e-9 * coalesce(one.known.step, greatest(abs(one.from_value), abs(one.to_value)))
  END
));
