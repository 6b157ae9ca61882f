import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from './json-text.ts';

/** Characters that are escaped, and those that escapes consist of. */
const character = fc.constantFrom(
  '\\',
  '"',
  '\n',
  '\t',
  '\u2028',
  '\u0000',
  'n',
  'u',
  '0',
  'a',
  '/',
  ':',
  '~',
  '🦆',
  ' ',
);
const name = fc.oneof(fc.string({ unit: character, maxLength: 4 }), fc.constant('__proto__'));
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, -2.5),
    name,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 4 }).map((members) => Object.fromEntries(members)),
  ),
}));

interface Spelling {
  readonly string: (text: string) => string;
  readonly colon: string;
}

const plainly: Spelling = { string: JSON.stringify, colon: ':' };
const spelling = fc.constantFrom<Spelling>(
  plainly,
  { ...plainly, string: (text) => JSON.stringify(text).replaceAll('\u2028', '\\u2028').replaceAll('/', '\\/') },
  { string: (text) => `"${text.replaceAll(/[\s\S]/g, escaped)}"`, colon: ' \r\n\t: ' },
);

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function spelt(value: unknown, { string, colon }: Spelling): string {
  const below = (one: unknown): string => spelt(one, { string, colon });
  if (typeof value === 'string') return string(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(below).join(',')}]`;
  return `{${Object.entries(value).map(([key, one]) => `${string(key)}${colon}${below(one)}`)}}`;
}

/** Lists members in order, including __proto__, which toEqual does not compare reliably. */
function comparable(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return ['list', ...value.map(comparable)];
  return ['object', ...Object.entries(value).map(([key, one]) => [key, comparable(one)])];
}

describe('a text in JSON', () => {
  it('parses to the written value, whatever names were parsed before', () => {
    // All texts go through the parser of one process, whose state depends on earlier texts.
    fc.assert(
      fc.property(value, spelling, (written, way) => {
        expect(comparable(parseJson(spelt(written, way)))).toEqual(comparable(written));
      }),
      { numRuns: 3000 },
    );
  });

  it.each(['n', 't', 'u2028', '"', '/', 'u0041'])('distinguishes a name written \\%s from a backslash', (letter) => {
    // V8 predicts the next member from what came after this one the last time.
    parseJson(`{"before ${encodeURIComponent(letter)}": 1, "\\\\": 1}`);
    const [, name] = Object.keys(parseJson(`{"before ${encodeURIComponent(letter)}": 1, "\\${letter}": 1}`) as object);
    expect(name).toBe(JSON.parse(`"\\${letter}"`));
  });

  it('has a repeated member once, with its last value', () => {
    expect(parseJson('{"\\n": 1, "\\u000a": 2}')).toEqual({ '\n': 2 });
  });

  it.each([
    '{"\\x": 1}',
    '{"\\n": 1',
    '{"\\n" 1}',
    '"\\',
    '{"a\\": 1}',
    '\\',
    '{\\n": 1}',
    '{"\\n": 1, \'}',
    '{"\\n": 1}}',
  ])('is refused with the message of JSON.parse if it is invalid: %j', (text) => {
    const refusal = (read: (text: string) => unknown): string => {
      try {
        return `read: ${JSON.stringify(read(text))}`;
      } catch (error) {
        return String(error);
      }
    };
    expect(refusal(parseJson)).toBe(refusal(JSON.parse));
  });

  it('is parsed in linear time', () => {
    const long = 'line\n'.repeat(200_000);
    expect(parseJson(JSON.stringify({ long, '\n': long }))).toEqual({ long, '\n': long });
    expect(() => parseJson('\\"'.repeat(200_000))).toThrow(SyntaxError);
  });
});
