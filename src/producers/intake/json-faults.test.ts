import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findJsonFault, findRepeatedKey, glanceAt, mayRepeatKeys, type RepeatedKey } from './json-faults.ts';

describe('where a text stops being JSON', () => {
  it.each([
    ['{"a": NaN}', 7, '"NaN"', 'JSON has no NaN'],
    ['{"a": -Infinity}', 7, '"-Infinity"', 'JSON has no infinity'],
    ["{'a': 1}", 2, '"\'"', 'texts in double quotes'],
    ['{a: 1}', 2, '"a"', 'a key in double quotes'],
    ['{"a": True}', 7, '"True"', 'true or false, in lower case'],
    ['{"a": None}', 7, '"None"', 'null'],
    ['{"a": 1,}', 9, '"}"', 'a key in double quotes'],
    ['[1, 2,]', 7, '"]"', 'a JSON value'],
    ['{"a" 1}', 6, '"1"', '":"'],
    ['{"a": 1 "b": 2}', 9, '"\\""', '"," or "}"'],
    ['[1 2]', 4, '"2"', '"," or "]"'],
    ['{"a": 01}', 7, '"01"', 'a JSON value'],
    ['{"a": 1} x', 10, '"x"', 'the end'],
    ['{"a": "\\x"}', 8, '"\\\\"', 'a JSON escape: '],
    ['{"a": "\t"}', 8, '"\\t"', 'with control characters escaped'],
    ['// note', 1, '"/"', 'JSON, which has no comments'],
  ])('%s', (text, column, found, allowed) => {
    const fault = findJsonFault(text);
    expect(fault).toMatchObject({ line: 1, column, found, isTruncated: false });
    expect(fault.allowed).toContain(allowed);
  });

  it('is the end of an incomplete text', () => {
    const whole = JSON.stringify({ a: [1, 'two', { three: null }], b: true });
    for (let length = 1; length < whole.length; length++) {
      const fault = findJsonFault(whole.slice(0, length));
      // An incomplete word is reported at its start.
      if (fault.found === 'the end of the text') expect(fault.isTruncated).toBe(true);
      else expect(whole.slice(fault.column - 1)).toMatch(/^(null|true)/);
    }
  });

  it('is reported by line and column', () => {
    expect(findJsonFault('{\n  "a": 1,\n  "b": nan\n}')).toMatchObject({ line: 3, column: 8, found: '"nan"' });
  });

  it('is found in any text that JSON.parse refuses', () => {
    const spoilt = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '"', '}', 'x', '\\', '0', ':'))
      .map(
        ([text, at, what]) => text.slice(0, at % (text.length + 1)) + what + text.slice((at % (text.length + 1)) + 1),
      );
    fc.assert(
      fc.property(spoilt, (text) => {
        fc.pre(!isJson(text));
        const fault = findJsonFault(text);
        expect(fault.column).toBeGreaterThan(0);
        expect(fault.column).toBeLessThanOrEqual(text.length + 1);
      }),
      { numRuns: 500 },
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function inside(text: string): RepeatedKey | null {
  return mayRepeatKeys(text, glanceAt(JSON.parse(text)).keys) ? findRepeatedKey(text) : null;
}

describe('a repeated key of an object', () => {
  it.each([
    ['{"a":1,"a":2}', ['a'], 8],
    ['{"a":1,"a":1}', ['a'], 8],
    ['{"a" : 1, "a"\t:2}', ['a'], 11],
    ['{"a":1,"\\u0061":2}', ['a'], 8],
    ['{"":1,"":2}', [''], 7],
    ['{"1":1,"b":2,"1":3}', ['1'], 14],
    ['{"__proto__":1,"__proto__":2}', ['__proto__'], 16],
    ['{"a":{"a":[{},{"b":1,"c":2,"b":3}]}}', ['a', 'a', 1, 'b'], 28],
    ['[[1,"x"],{"a":1,"a":2}]', [1, 'a'], 17],
    ['{"back\\\\":1,"back\\\\":2}', ['back\\'], 13],
    ['{"a\\"":1,"a\\"":2}', ['a"'], 10],
    ['{"says":"\\":","a":{},"a":1}', ['a'], 22],
    ['{"a":{"b":1},"b":2,"a":3}', ['a'], 20],
  ])('%s', (text, path, column) => {
    expect(inside(text)).toMatchObject({ path, line: 1, column });
  });

  it.each([
    '{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}',
    '{"a":"a","b":"\\"a\\":1,\\"a\\":2"}',
    '{"a":[":", " :smile:", "\\\\", "\\\\:", "\\":"],":":":"}',
    '{"a":1,"A":2}',
    '["a","a"]',
    '"a\\":\\"a\\":"',
    '5',
  ])('is not found in %s', (text) => {
    expect(inside(text)).toBeNull();
  });

  it('is not searched for in an ordinary event', () => {
    const text = '{"says":"at 12:30, \\"later\\": no","list":[{"a" : 1},{"a" : "x"}]}';
    expect(mayRepeatKeys(text, glanceAt(JSON.parse(text)).keys)).toBe(false);
  });

  it('is reported by its line', () => {
    expect(inside('{\n "a": 1,\r\n  "a": 2\n}')).toMatchObject({ path: ['a'], line: 3, column: 3 });
  });

  it('is found at any depth', () => {
    const deep = 100_000;
    const text = (innermost: string): string => '['.repeat(deep) + innermost + ']'.repeat(deep);
    expect(findRepeatedKey(text('{"a":1,"a":2}'))?.path).toHaveLength(deep + 1);
    expect(findRepeatedKey(text('{"a":1,"b":2}'))).toBeNull();
  });

  it('is found in any JSON text that has one, and in no other', () => {
    // Without backslashes: after the key "\\" at the same place, V8 14.6 confuses it with "\"".
    const short = fc.string({ maxLength: 3 }).filter((text) => !text.includes('\\'));
    const key = fc.oneof(fc.constantFrom('a', ':', '"', '":', '__proto__', '0'), short);
    const { value } = fc.letrec<{ value: Written }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.oneof(key, fc.integer()).map((one) => ({ text: JSON.stringify(one), repeats: false })),
        fc.array(tie('value'), { maxLength: 3 }).map(list),
        fc.tuple(fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }), fc.constantFrom('', ' ', '\n\t')).map(object),
      ),
    }));
    fc.assert(
      fc.property(value, ({ text, repeats }) => {
        expect(inside(text) !== null).toBe(repeats);
      }),
      { numRuns: 1000 },
    );
  });
});

interface Written {
  readonly text: string;
  readonly repeats: boolean;
}

function list(members: readonly Written[]): Written {
  return { text: `[${members.map(({ text }) => text).join(',')}]`, repeats: members.some(({ repeats }) => repeats) };
}

function object([members, space]: [readonly (readonly [string, Written])[], string]): Written {
  const texts = members.map(([key, { text }]) => `${JSON.stringify(key)}${space}:${space}${text}`);
  const isRepeated = new Set(members.map(([key]) => key)).size < members.length;
  return { text: `{${texts.join(',')}}`, repeats: isRepeated || members.some(([, { repeats }]) => repeats) };
}
