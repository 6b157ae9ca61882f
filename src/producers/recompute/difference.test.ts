import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../schemas/canonical.ts';
import { differenceWords } from './account.ts';

describe('the difference of two values', () => {
  it('exists exactly if they are not the same JSON', () => {
    const json = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(null, true, 0, 1, -1.5, 'a', 'a\nb', 'a\nc', 'b'),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3 }),
      ),
    })).value;
    fc.assert(
      fc.property(json, json, (recorded, computed) => {
        const differs = canonicalJson(recorded) !== canonicalJson(computed);
        expect(differenceWords(recorded, computed, 'data') !== null).toBe(differs);
      }),
    );
  });

  it.each([
    [{ outcome: 'valid' }, { outcome: 'hole' }, 'data.outcome: recorded "valid", computed again "hole"'],
    [{ a: [1, 2] }, { a: [1] }, 'data.a[1]: recorded 2, computed again nothing'],
    [{}, { a: null }, 'data.a: recorded nothing, computed again null'],
    [{ a: 1, b: 2, c: 3 }, { a: 1, b: 3, c: 4 }, 'data.b: recorded 2, computed again 3 (and 1 more)'],
    [{ t: 'a\nb\nc' }, { t: 'a\nx\nc' }, 'data.t, line 2: recorded "b", computed again "x"'],
    [{ t: 'a' }, { t: 'a\nx' }, 'data.t, line 2: recorded nothing, computed again "x"'],
    [{ a: { b: 1 } }, { a: [1] }, 'data.a: recorded {"b":1}, computed again [1]'],
  ])('is described by its field: %j, %j', (recorded, computed, says) => {
    expect(differenceWords(recorded, computed, 'data')).toBe(says);
  });

  it('is described briefly, however long the values are', () => {
    const says = differenceWords('x'.repeat(1000), 'y'.repeat(1000), 'data') ?? '';
    expect(says.length).toBeLessThan(220);
  });
});
