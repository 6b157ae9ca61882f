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


