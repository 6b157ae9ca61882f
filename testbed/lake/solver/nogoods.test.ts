import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Nogood, Nogoods } from './search.ts';

const times = fc.array(fc.nat(6), { minLength: 4, maxLength: 4 });
const lessons = fc.array(fc.record({ members: fc.subarray([0, 1, 2, 3], { minLength: 1 }), tooLittle: times }), {
  maxLength: 4,
});

const rulesOut = ({ members, tooLittle }: Nogood, arrivals: readonly number[]): boolean =>
  members.every((agent) => (arrivals[agent] as number) <= (tooLittle[agent] as number));

it('a nogood rules out exactly the questions that give none of its members more time', () => {
  const nogoods = new Nogoods();
  fc.assert(
    fc.property(lessons, times, (learned, arrivals) => {
      nogoods.forget();
      for (const nogood of learned) nogoods.add(nogood);
      expect(nogoods.count).toBe(learned.length);
      const found = nogoods.against(arrivals);
      expect(found !== undefined).toBe(learned.some((nogood) => rulesOut(nogood, arrivals)));
      if (found !== undefined) expect(rulesOut(found, arrivals)).toBe(true);
    }),
    { numRuns: 2000 },
  );
});
