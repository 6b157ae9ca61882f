// A refetched result replaces only the parts that changed.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keepingEqual } from './unchanged.ts';

const json = fc.jsonValue({ maxDepth: 4 });

describe('a refetched result', () => {
  it('is the previous object if it is equal', () => {
    fc.assert(
      fc.property(json, (value) => {
        const copy = JSON.parse(JSON.stringify(value));
        const before = JSON.parse(JSON.stringify(value));
        expect(keepingEqual(before, copy)).toBe(before);
      }),
    );
  });

  it('has the new value', () => {
    fc.assert(
      fc.property(json, json, (before, after) => {
        const expected = JSON.parse(JSON.stringify(after));
        expect(keepingEqual(before, after)).toEqual(expected);
      }),
    );
  });

  it('keeps equal parts when others have changed', () => {
    const before = { as_of: '10:00', charts: { stages: [1, 2] }, runs: [{ name: 'a' }, { name: 'b' }] };
    const after = { as_of: '10:01', charts: { stages: [1, 2] }, runs: [{ name: 'a' }, { name: 'c' }] };
    const kept = keepingEqual(before, after);
    expect(kept).toEqual(after);
    expect(kept.charts).toBe(before.charts);
    expect(kept.runs[0]).toBe(before.runs[0]);
    expect(kept.runs[1]).not.toBe(before.runs[1]);
  });

  it('keeps a key named __proto__', () => {
    const after = JSON.parse('{"__proto__": {"a": 1}, "b": 2}');
    expect(Object.keys(keepingEqual({ b: 1 }, after))).toEqual(['__proto__', 'b']);
  });

  it('distinguishes an empty list from an empty object', () => {
    expect(keepingEqual({}, [])).toEqual([]);
    expect(keepingEqual([], {})).toEqual({});
  });
});
