-- Macros that the views share.

-- The score interval of Wilson of a share that was counted, at 95 %; null where the count is none of so many.
CREATE MACRO wilson_low(many, out_of) AS CASE
  WHEN NOT (many BETWEEN 0 AND out_of) OR out_of = 0 THEN NULL
  WHEN many = 0 THEN 0.0::DOUBLE
  ELSE (many / out_of + 1.9207294103470627 / out_of
    - 1.959963984540054 * sqrt(many / out_of * (1 - many / out_of) / out_of + 0.9603647051735313 / out_of / out_of))
    / (1 + 3.841458820694124 / out_of)
END;

CREATE MACRO wilson_high(many, out_of) AS CASE
  WHEN NOT (many BETWEEN 0 AND out_of) OR out_of = 0 THEN NULL
  WHEN many = out_of THEN 1.0::DOUBLE
  ELSE (many / out_of + 1.9207294103470627 / out_of
    + 1.959963984540054 * sqrt(many / out_of * (1 - many / out_of) / out_of + 0.9603647051735313 / out_of / out_of))
    / (1 + 3.841458820694124 / out_of)
END;
