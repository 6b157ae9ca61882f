import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deal, readShare, readWishes, type Wishing, writeShare, writeWishes } from './group-messages.ts';
import type { TopicPartition } from './transport.ts';

const topic = fc.constantFrom('lab.run', 'lab.evidence', 'lab.прочее');
const topics = fc.uniqueArray(topic, { maxLength: 3 });
const members = fc
  .uniqueArray(fc.tuple(fc.string({ minLength: 1 }), topics), {
    minLength: 1,
    maxLength: 6,
    selector: ([name]) => name,
  })
  .map((all) => all.map(([member, wanted]): Wishing => ({ member, topics: wanted })));
const partitions = fc.uniqueArray(fc.record({ topic, partition: fc.nat({ max: 20 }) }), {
  maxLength: 30,
  selector: nameOf,
});

describe('what members of a group tell each other', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(topics, (wanted) => {
        expect(readWishes(writeWishes(wanted))).toEqual(wanted);
      }),
    );
    fc.assert(
      fc.property(partitions, (share) => {
        expect(readShare(writeShare(share)).map(nameOf).sort()).toEqual(share.map(nameOf).sort());
      }),
    );
  });

  it('gives a member that nobody gave anything to nothing', () => {
    expect(readShare(Buffer.alloc(0))).toEqual([]);
  });
});

describe('partitions are dealt out', () => {
  it('so that each that anybody wants has one member, which wants it', () => {
    fc.assert(
      fc.property(members, partitions, (all, given) => {
        const shares = deal(all, given);
        const dealt = [...shares.values()].flat().map(nameOf);
        const wanted = given.filter((each) => all.some((member) => member.topics.includes(each.topic)));
        expect(dealt.sort()).toEqual(wanted.map(nameOf).sort());
        for (const { member, topics: own } of all) {
          for (const each of shares.get(member) ?? []) expect(own).toContain(each.topic);
        }
      }),
    );
  });

  it('evenly among members that want the same', () => {
    const all = ['c', 'a', 'b'].map((member) => ({ member, topics: ['lab.evidence'] }));
    const given = Array.from({ length: 7 }, (_, partition) => ({ topic: 'lab.evidence', partition }));
    const sizes = all.map(({ member }) => deal(all, given).get(member)?.length);
    expect(sizes.toSorted()).toEqual([2, 2, 3]);
  });

  it('in the same way whatever order the members come in', () => {
    fc.assert(
      fc.property(members, partitions, (all, given) => {
        const [one, other] = [deal(all, given), deal(all.toReversed(), given)];
        for (const { member } of all) expect(other.get(member)).toEqual(one.get(member));
      }),
    );
  });
});

function nameOf({ topic: of, partition }: TopicPartition): string {
  return `${of}/${partition}`;
}
