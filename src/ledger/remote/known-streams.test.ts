import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventIds } from '../identity/ids.ts';
import { familyOf, HighestIds } from './known-streams.ts';

const idsOfKind = [10, 20].map((kind) => eventIds({ run: 'families0000', stage: 1, kind }));
const id = fc
  .tuple(fc.nat({ max: 1 }), fc.nat({ max: 20 }))
  .map(([kind, index]) => (idsOfKind[kind]?.(index) ?? '').replaceAll('-', ''));
const foreign = fc.uuid({ version: 4 }).map((uuid) => uuid.replaceAll('-', ''));

describe('the highest ids of families', () => {
  it('show that ids are new exactly if each is higher than all earlier ones of its family', () => {
    fc.assert(
      fc.property(fc.array(id), fc.array(id), (before, ids) => {
        const seen = [...before];
        const areNew = ids.every((one) => {
          const isNew = seen.every((other) => familyOf(other) !== familyOf(one) || other < one);
          seen.push(one);
          return isNew;
        });
        expect(new HighestIds().with(before).areNew(ids)).toBe(areNew);
      }),
    );
  });

  it('show nothing about ids of other programs', () => {
    fc.assert(
      fc.property(foreign, (one) => {
        expect(familyOf(one)).toBeNull();
        expect(new HighestIds().areNew([one])).toBe(false);
      }),
    );
  });

  it('distinguish rollouts from failures, so that they may alternate in one stream', () => {
    const [first, second] = idsOfKind.map((ids) => ids(0).replaceAll('-', ''));
    expect(familyOf(first ?? '')).not.toBe(familyOf(second ?? ''));
  });
});
