import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, NotCanonical } from './canonical.ts';

/** RFC 8785, appendix B: the bits of a double and its text. */
const numbers: readonly (readonly [string, string])[] = [
  ['0000000000000000', '0'],
  ['8000000000000000', '0'],
  ['0000000000000001', '5e-324'],
  ['8000000000000001', '-5e-324'],
  ['7fefffffffffffff', '1.7976931348623157e+308'],
  ['ffefffffffffffff', '-1.7976931348623157e+308'],
  ['4340000000000000', '9007199254740992'],
  ['c340000000000000', '-9007199254740992'],
  ['4430000000000000', '295147905179352830000'],
  ['44b52d02c7e14af5', '9.999999999999997e+22'],
  ['44b52d02c7e14af6', '1e+23'],
  ['44b52d02c7e14af7', '1.0000000000000001e+23'],
  ['444b1ae4d6e2ef4e', '999999999999999700000'],
  ['444b1ae4d6e2ef4f', '999999999999999900000'],
  ['444b1ae4d6e2ef50', '1e+21'],
  ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
  ['3eb0c6f7a0b5ed8d', '0.000001'],
  ['41b3de4355555553', '333333333.3333332'],
  ['41b3de4355555554', '333333333.33333325'],
  ['41b3de4355555555', '333333333.3333333'],
  ['41b3de4355555556', '333333333.3333334'],
  ['41b3de4355555557', '333333333.33333343'],
  ['becbf647612f3696', '-0.0000033333333333333333'],
  ['43143ff3c1cb0959', '1424953923781206.2'],
];

function double(bits: string): number {
  return Buffer.from(bits, 'hex').readDoubleBE();
}

describe('the published vectors of RFC 8785', () => {
  it.each(numbers)('the double %s is written %s', (bits, text) => {
    expect(canonicalJson(double(bits))).toBe(text);
  });

  it.each(['7fffffffffffffff', '7ff0000000000000'])('the double %s is refused', (bits) => {
    expect(() => canonicalJson(double(bits))).toThrow(NotCanonical);
  });

  it('writes strings, numbers and literals as section 3.2.2 does', () => {
    const value: unknown = JSON.parse(
      String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
    );
    expect(canonicalJson(value)).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  it('sorts keys by UTF-16 code units as section 3.2.3 does', () => {
    const value = { '\u20ac': 5, '\r': 1, '\ufb33': 7, '1': 2, '\ud83d\ude00': 6, '\u0080': 3, '\u00f6': 4 };
    expect(canonicalJson(value)).toBe('{"\\r":1,"1":2,"\u0080":3,"\u00f6":4,"\u20ac":5,"\ud83d\ude00":6,"\ufb33":7}');
  });
});

/** A straightforward implementation of the RFC, to compare the fast one with. */
function plainly(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(plainly).join(',')}]`;
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${plainly((value as Record<string, unknown>)[key])}`);
  return `{${members.join(',')}}`;
}

const key = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.nat({ max: 200 }).map(String),
  fc.constantFrom('__proto__', 'constructor', '-1', '01', '4294967295', ''),
);

const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: 'binary' }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 6 }).map(fromEntries),
  ),
})).value;

/** Unlike an assignment, this makes `__proto__` an ordinary key, as JSON.parse does. */
function fromEntries(entries: readonly (readonly [string, unknown])[]): object {
  return Object.fromEntries(entries);
}

function shuffled(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(shuffled);
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, shuffled(member)]),
  );
}

describe('canonical JSON', () => {
  it('equals a straightforward implementation of the RFC for every value', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalJson(value)).toBe(plainly(value));
      }),
      { numRuns: 2000 },
    );
  });

  it('does not depend on the order in which keys were set', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalJson(shuffled(value))).toBe(canonicalJson(value));
      }),
    );
  });

  it('parses to the same value, and is its own canonical form', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });

  it('leaves out undefined members at any depth', () => {
    expect(canonicalJson({ c: 1, a: undefined, b: 2 })).toBe('{"b":2,"c":1}');
    expect(canonicalJson({ '10': 1, '9': undefined, b: 2, a: undefined })).toBe('{"10":1,"b":2}');
  });

  it.each([
    ['NaN', { data: { reward: Number.NaN } }, 'data.reward'],
    ['infinity', [1, [2, Number.POSITIVE_INFINITY]], '[1][1]'],
    ['a hole in a list', { a: [1, undefined] }, 'a[1]'],
    ['a function', { a: () => 1 }, 'a'],
    ['a wide integer', { n: 12n }, 'n'],
    ['a date', { at: new Date(0) }, 'at'],
    ['a map', { m: new Map() }, 'm'],
    ['typed bytes', { b: new Uint8Array(2) }, 'b'],
    ['a lone high surrogate', { s: 'x\ud800y' }, 's'],
    ['a lone low surrogate', { s: ['\udc00'] }, 's[0]'],
    ['a lone surrogate in a key', { k: { '\ud800': 1 } }, 'k.\ud800'],
    ['undefined itself', undefined, ''],
  ])('refuses %s and names the place', (_, value, field) => {
    expect(() => canonicalJson(value)).toThrow(expect.objectContaining({ name: 'NotCanonical', field }));
  });

  it('accepts a backslash followed by ud800 as plain text', () => {
    expect(canonicalJson({ s: '\\ud800' })).toBe('{"s":"\\\\ud800"}');
  });

  it('refuses extreme nesting and cycles', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    expect(() => canonicalJson(cycle)).toThrow(/nesting deeper/);
    const parent: { children: unknown[] } = { children: [] };
    for (let i = 0; i < 10; i++) parent.children.push({ parent, name: i });
    expect(() => canonicalJson(parent)).toThrow(/nesting deeper/);
    const deep: unknown = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`);
    expect(() => canonicalJson(deep)).toThrow(/nesting deeper/);
  });
});
