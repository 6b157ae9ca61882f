import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromAscii } from '../ascii.ts';
import type { Plan } from '../plan.ts';
import { planned } from '../testing/arbitraries.ts';
import { type Lanes, lanesOf, type Walk, walksOf } from './walk.ts';

function lanes(map: string, plan: Plan): Lanes {
  return lanesOf(walksOf({ instance: fromAscii(map), plan }), 4);
}

describe('lanes', () => {
  it('are one where nobody is in the way of anybody', () => {
    expect(lanes('a. .. .A\n.. .. ..\nb. .. .B', ['RR', 'RR'])).toEqual({ count: 1, of: [0, 0] });
  });

  it('are one where trails cross at a right angle only', () => {
    expect(lanes('.. b. ..\na. .. .A\n.. .B ..', ['RR', 'DD'])).toEqual({ count: 1, of: [0, 0] });
  });

  it('are two where trails go the same way, turn on the same cell, or one stops where another passes', () => {
    expect(lanes('a. .. .A\nb. .. .B\n.. .. ..', ['RR', 'URRD']).of).toEqual([0, 1]);
    expect(lanes('.. bA ..\na. .. .B\n.. .. ..', ['RU', 'DR']).of).toEqual([0, 1]);
    expect(lanes('.. b. ..\na. .. .A\n.. .B ..', ['RR', 'DWD']).of).toEqual([0, 1]);
  });

  it('keep two on the same way apart as long as there are enough', () => {
    fc.assert(
      fc.property(planned({ largest: 8, agents: 6 }), ({ instance, plan }) => {
        const walks = walksOf({ instance, plan });
        const { of } = lanesOf(walks, 6);
        for (const one of walks.walks) {
          for (const other of walks.walks.slice(0, one.agent)) {
            const ways = waysOf(one);
            if (waysOf(other).some((way) => ways.includes(way))) expect(of[one.agent]).not.toBe(of[other.agent]);
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  it('are never more than there may be', () => {
    fc.assert(
      fc.property(planned({ largest: 6 }), fc.integer({ min: 1, max: 4 }), ({ instance, plan }, most) => {
        const { count, of } = lanesOf(walksOf({ instance, plan }), most);
        expect(count).toBeLessThanOrEqual(most);
        expect(Math.max(...of)).toBe(count - 1);
      }),
      { numRuns: 50 },
    );
  });
});

function waysOf({ visits }: Walk): string[] {
  return visits.slice(1).map(({ cell }, i) => [visits[i]?.cell ?? 0, cell].sort((a, b) => a - b).join('-'));
}
