import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findJsonFault } from './json-fault.ts';

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
    ['{"a": "\\x"}', 8, '"\\\\"', 'an escape JSON knows'],
    ['{"a": "\t"}', 8, '"\\t"', 'with control characters escaped'],
    ['// note', 1, '"/"', 'JSON, which has no comments'],
  ])('%s', (text, column, found, allowed) => {
    const fault = findJsonFault(text);
    expect(fault).toMatchObject({ line: 1, column, found, isTruncated: false });
    expect(fault.allowed).toContain(allowed);
  });

  it('is the end, where the text breaks off', () => {
    const whole = JSON.stringify({ a: [1, 'two', { three: null }], b: true });
    for (let length = 1; length < whole.length; length++) {
      const fault = findJsonFault(whole.slice(0, length));
      // A word that is cut short is found where it begins.
      if (fault.found === 'the end of the text') expect(fault.isTruncated).toBe(true);
      else expect(whole.slice(fault.column - 1)).toMatch(/^(null|true)/);
    }
  });

  it('is told by line and column', () => {
    expect(findJsonFault('{\n  "a": 1,\n  "b": nan\n}')).toMatchObject({ line: 3, column: 8, found: '"nan"' });
  });

  it('is found in whatever JSON.parse refuses', () => {
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
