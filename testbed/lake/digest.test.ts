import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../schemas/canonical.ts';
import { fromAscii } from './ascii.ts';
import { digestOf } from './instance.ts';
import { instanceOf, lineOf } from './line.ts';
import { instances } from './testing/arbitraries.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('the digest of an instance', () => {
  it('hashes its line in canonical JSON, without the id', () => {
    fc.assert(
      fc.property(instances(), (instance) => {
        const { id: _, ...line } = lineOf(instance);
        expect(digestOf(instance)).toBe(sha256(canonicalJson(line)));
      }),
    );
  });

  it('never changes', () => {
    const text =
      '{"agents":[{"goal":[0,2],"start":[0,0]},{"goal":[2,1],"start":[2,1]}],"holes":[[1,0],[2,2]],"size":3}';
    const instance = fromAscii(['a. .. .A', '## .. ..', '.. bB ##'].join('\n'));
    expect(digestOf(instance)).toBe(sha256(text));
    expect(digestOf(instance)).toBe('cc18b2a160c5986ccb0823db9526bb836f56d4dc4baee2f4097306c334af8ec8');
  });

  it('does not depend on the order of holes nor on the id', () => {
    fc.assert(
      fc.property(instances(), fc.string({ unit: 'grapheme', minLength: 1 }), (instance, id) => {
        const line = lineOf(instance);
        const other = { ...line, id, holes: line.holes.toReversed() };
        expect(digestOf(instanceOf(other))).toBe(digestOf(instance));
      }),
    );
  });

  it('differs for instances that differ in anything else', () => {
    const small = instances({ largest: 4, agents: 2, hasId: false });
    fc.assert(
      fc.property(small, small, (one, other) => {
        expect(digestOf(one) === digestOf(other)).toBe(isDeepStrictEqual(one, other));
      }),
      { numRuns: 1000 },
    );
  });
});
