-- Macros: what views share, and queries may use.
--
-- wilson_low(many, out_of), wilson_high(many, out_of): the ends of the 95 % interval, Wilson's, of a share that was counted;
-- null where the count is none of so many. student_t(freedom): within so many standard errors to either side of a mean lies
-- its 95 % interval, given so many degrees of freedom. knob_word(knob, family): what a knob is called within its family,
-- as hole is for 8.hole.

CREATE MACRO wilson_low(many, out_of) AS CASE
  WHEN (many BETWEEN 0 AND out_of AND out_of > 0) IS NOT TRUE THEN NULL
  WHEN many = 0 THEN 0.0::DOUBLE
  ELSE (many / out_of + 1.9207294103470627 / out_of
    - 1.959963984540054 * sqrt(many / out_of * (1 - many / out_of) / out_of + 0.9603647051735313 / out_of / out_of))
    / (1 + 3.841458820694124 / out_of)
END;

CREATE MACRO wilson_high(many, out_of) AS CASE
  WHEN (many BETWEEN 0 AND out_of AND out_of > 0) IS NOT TRUE THEN NULL
  WHEN many = out_of THEN 1.0::DOUBLE
  ELSE (many / out_of + 1.9207294103470627 / out_of
    + 1.959963984540054 * sqrt(many / out_of * (1 - many / out_of) / out_of + 0.9603647051735313 / out_of / out_of))
    / (1 + 3.841458820694124 / out_of)
END;

-- From tables as far as they differ by much; beyond, by the expansion of Cornish and Fisher.
CREATE MACRO student_t(freedom) AS CASE
  WHEN freedom < 1 THEN NULL
  WHEN freedom <= 20 THEN [
    12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157, 2.228139,
    2.200985, 2.178813, 2.160369, 2.144787, 2.131450, 2.119905, 2.109816, 2.100922, 2.093024, 2.085963
  ][freedom::INTEGER]::DOUBLE
  ELSE 1.959963984540054 + 2.372271 / freedom + 2.822499 / freedom ** 2 + 2.555850 / freedom ** 3
    + 1.589534 / freedom ** 4
END;

CREATE MACRO knob_word(knob, family) AS CASE
  WHEN family IS NOT NULL AND starts_with(knob, family || '.') THEN substr(knob, length(family) + 2)
  ELSE knob
END;

-- The ablation a stream belongs to; null where it belongs to none.
CREATE MACRO ablation_in(stream) AS CASE WHEN starts_with(stream, 'ablation-') THEN substr(stream, 10) END;

-- What differs between the knobs of a configuration and of the one before it; where either is not known, what the decision
-- says that it changed.
CREATE MACRO moved_knobs(knobs, earlier, changes) AS list_filter(
  CASE
    WHEN knobs IS NULL OR earlier IS NULL THEN list_transform(changes, lambda one, place: {
      'place': place, 'knob': one.knob, 'family': one.family, 'from_value': one."from", 'to_value': one."to"
    })
    ELSE list_concat(
      -- Most often a knob stands where it stood.
      list_transform(knobs, lambda one, place: {
        'place': place, 'knob': one.knob, 'family': one.family,
        'from_value': CASE
          WHEN earlier[place].knob = one.knob THEN earlier[place]."value"
          ELSE list_filter(earlier, lambda other: other.knob = one.knob)[1]."value"
        END,
        'to_value': one."value"
      }),
      list_filter(
        list_transform(earlier, lambda one, place: {
          'place': place, 'knob': one.knob, 'family': one.family, 'from_value': one."value", 'to_value': NULL::DOUBLE
        }),
        lambda one, place: CASE
          WHEN knobs[place].knob = one.knob THEN false
          ELSE len(list_filter(knobs, lambda other: other.knob = one.knob)) = 0
        END
      )
    )
  END,
  lambda one: one.from_value IS DISTINCT FROM one.to_value
);

-- Those of them that differ by more than the dust that reckoning leaves behind, with what is known of each knob: its step.
CREATE MACRO turned_knobs(knobs, earlier, changes, known) AS list_sort(list_filter(
  list_transform(moved_knobs(knobs, earlier, changes), lambda one: {
    'place': one.place, 'knob': one.knob, 'family': one.family, 'from_value': one.from_value,
    'to_value': one.to_value, 'known': list_filter(known, lambda other: other.name = one.knob)[1]
  }),
  lambda one: CASE
    WHEN one.from_value IS NULL OR one.to_value IS NULL THEN true
    ELSE abs(one.to_value - one.from_value)
      > 1e-9 * coalesce(one.known.step, greatest(abs(one.from_value), abs(one.to_value)))
  END
));
