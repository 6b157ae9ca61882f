// Decides whether a repeated id means the same event: both must agree apart from when it happened, where it is, and what was
// measured.

import { canonicalJson } from '../../../schemas/canonical.ts';
import { isObject, parseJson } from '../../../schemas/json-text.ts';

/** Fields in which a repetition may differ, in addition to `data.measured`. */
const incidental = new Set(['at', 'recordedAt', 'previous', 'revision', 'digest']);

/** The fields in which two events, given as canonical bodies, differ; empty: they are the same. */
export function differences(stored: string, repeated: string): readonly string[] {
  const a = comparable(stored);
  const b = comparable(repeated);
  const keys = new Set([...a.keys(), ...b.keys()]);
  return [...keys].filter((key) => a.get(key) !== b.get(key)).sort();
}

/** The canonical text of each field, with the members of `data` one level down. */
function comparable(body: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const [key, value] of Object.entries(parseJson(body) as Record<string, unknown>)) {
    if (incidental.has(key)) continue;
    if (key !== 'data' || !isObject(value)) {
      fields.set(key, canonicalJson(value));
      continue;
    }
    for (const [member, content] of Object.entries(value)) {
      if (member !== 'measured') fields.set(`data.${member}`, canonicalJson(content));
    }
  }
  return fields;
}
