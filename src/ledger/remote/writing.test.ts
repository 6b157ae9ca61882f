import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventIds } from '../identity/ids.ts';
import { familyOf, KnownStream } from './writing.ts';

const idsOfKind = [10, 20].map((kind) => eventIds({ run: 'families0000', stage: 1, kind }));
const id = fc
  .tuple(fc.nat({ max: 1 }), fc.nat({ max: 20 }))
  .map(([kind, index]) => (idsOfKind[kind]?.(index) ?? '').replaceAll('-', ''));
const foreign = fc.uuid({ version: 4 }).map((uuid) => uuid.replaceAll('-', ''));

function streamWith(ids: readonly string[]): KnownStream {
  const known = new KnownStream();
  for (const [revision, id] of ids.entries()) known.add(id, { revision, digest: '', position: '' });
  return known;
}

describe('the ids of a known stream', () => {
  it('are new exactly if each is higher than all earlier ones of its family', () => {
    fc.assert(
      fc.property(fc.array(id), fc.array(id), (before, ids) => {
        const seen = [...before];
        const areNew = ids.every((one) => {
          const isNew = seen.every((other) => familyOf(other) !== familyOf(one) || other < one);
          seen.push(one);
          return isNew;
        });
        expect(streamWith(before).areNew(ids)).toBe(areNew);
      }),
    );
  });

  it('of other programs are new if they are neither there nor repeated', () => {
    fc.assert(
      fc.property(fc.array(foreign), fc.array(foreign), (before, ids) => {
        const [there, asked] = [new Set(before), [...ids, ...before.slice(0, 1)]];
        const areNew = !asked.some((one) => there.has(one)) && new Set(asked).size === asked.length;
        expect(asked.map(familyOf).every((family) => family === null)).toBe(true);
        expect(streamWith(before).areNew(asked)).toBe(areNew);
        expect(new KnownStream().areNew([...ids, ...ids])).toBe(ids.length === 0);
      }),
    );
  });

  it('distinguish rollouts from failures, so that they may alternate in one stream', () => {
    const [first, second] = idsOfKind.map((ids) => ids(0).replaceAll('-', ''));
    expect(familyOf(first ?? '')).not.toBe(familyOf(second ?? ''));
  });
});
