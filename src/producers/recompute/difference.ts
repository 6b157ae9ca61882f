// Where what was recorded and what was computed again part: the field, and both values, for a sentence that somebody can
// act on.
import { canonicalJson } from '../../../schemas/canonical.ts';

export interface Difference {
  /** `data.facts[3].value`; within a text, the line too. */
  readonly field: string;
  /** Undefined where there is nothing. */
  readonly recorded: unknown;
  readonly computed: unknown;
}

/** In the order of the fields; a member that is undefined is one that is not there. */
export function* differences(recorded: unknown, computed: unknown, field: string): Generator<Difference> {
  if (recorded === computed) return;
  if (Array.isArray(recorded) && Array.isArray(computed)) {
    const length = Math.max(recorded.length, computed.length);
    for (let i = 0; i < length; i++) yield* differences(recorded[i], computed[i], `${field}[${i}]`);
  } else if (isMembers(recorded) && isMembers(computed)) {
    const keys = new Set([...Object.keys(recorded), ...Object.keys(computed)]);
    for (const key of keys) yield* differences(recorded[key], computed[key], `${field}.${key}`);
  } else if (typeof recorded === 'string' && typeof computed === 'string') {
    yield inText(recorded, computed, field);
  } else {
    yield { field, recorded, computed };
  }
}

/** Of a text of several lines, the first that differs. */
function inText(recorded: string, computed: string, field: string): Difference {
  const [was, is] = [recorded.split('\n'), computed.split('\n')];
  if (was.length === 1 && is.length === 1) return { field, recorded, computed };
  const line = was.findIndex((one, i) => one !== is[i]);
  const at = line === -1 ? was.length : line;
  return { field: `${field}, line ${at + 1}`, recorded: was[at], computed: is[at] };
}

/** `data.outcome: recorded "valid", computed again "hole" (and 2 more)`; null where nothing differs. */
export function differenceWords(recorded: unknown, computed: unknown, field: string): string | null {
  const [first, ...others] = differences(recorded, computed, field);
  if (first === undefined) return null;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return `${first.field}: recorded ${words(first.recorded)}, computed again ${words(first.computed)}${more}`;
}

const longest = 80;

function words(value: unknown): string {
  if (value === undefined) return 'nothing';
  const characters = [...canonicalJson(value)];
  return characters.length <= longest ? characters.join('') : `${characters.slice(0, longest - 1).join('')}…`;
}

function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
