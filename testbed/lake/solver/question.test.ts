import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { after, afterPair, sum } from './search.ts';

const most = 12;
const time = fc.nat(most);
const questions = fc.array(time, { minLength: 3, maxLength: 5 });

/** A frontier: the second agent arrives earlier as the first arrives later. */
const frontiers = fc
  .tuple(fc.uniqueArray(time, { maxLength: 5 }), fc.uniqueArray(time, { maxLength: 5 }))
  .map(([one, other]) => {
    const firsts = one.toSorted((a, b) => a - b);
    const seconds = other.toSorted((a, b) => b - a);
    return firsts.slice(0, seconds.length).flatMap((first, i) => [first, seconds[i] as number]);
  });

const pairs = fc.constantFrom([0, 1] as const, [0, 2] as const, [1, 2] as const);

const isWithin = (one: readonly number[], other: readonly number[]): boolean =>
  one.every((arrival, agent) => arrival <= (other[agent] as number));

describe('questions after a conflict of two agents', () => {
  it('are exactly the minimal later questions within their frontier', () => {
    fc.assert(
      fc.property(questions, frontiers, pairs, (arrivals, least, [first, second]) => {
        const answered = (one: number, other: number): boolean =>
          least.some((_, i) => i % 2 === 0 && (least[i] as number) <= one && (least[i + 1] as number) <= other);
        const all: number[][] = [];
        for (let one = arrivals[first] as number; one <= most; one++) {
          for (let other = arrivals[second] as number; other <= most; other++) {
            if (answered(one, other)) all.push(arrivals.with(first, one).with(second, other));
          }
        }
        const minimal = all.filter((one) => all.every((other) => other === one || !isWithin(other, one)));
        const later = afterPair({ first, second, arrivals: least }, arrivals);
        if (answered(arrivals[first] as number, arrivals[second] as number)) expect(later).toBeNull();
        else expect(later?.map(String).sort()).toEqual(minimal.map(String).sort());
      }),
      { numRuns: 2000 },
    );
  });

  it('are none if the two have no joint path', () => {
    expect(afterPair({ first: 0, second: 1, arrivals: [] }, [3, 4, 5])).toEqual([]);
  });
});

describe('questions after a nogood', () => {
  const nogoods = fc.record({
    members: fc.constantFrom([0, 1, 2], [0, 2], [1, 2]),
    tooLittle: fc.array(time, { minLength: 5, maxLength: 5 }),
  });

  it('cover all questions that it does not rule out', () => {
    fc.assert(
      fc.property(questions, nogoods, questions, (arrivals, { members, tooLittle }, more) => {
        const rulesOut = (asked: readonly number[]): boolean =>
          members.every((agent) => (asked[agent] as number) <= (tooLittle[agent] as number));
        if (!rulesOut(arrivals)) return;
        const later = after({ members, tooLittle }, arrivals);
        for (const question of later) {
          expect(rulesOut(question)).toBe(false);
          expect(isWithin(arrivals, question) && sum(question) > sum(arrivals)).toBe(true);
        }
        const other = arrivals.map((arrival, agent) => arrival + (more[agent] ?? 0));
        expect(later.some((question) => isWithin(question, other))).toBe(!rulesOut(other));
      }),
      { numRuns: 2000 },
    );
  });
});
