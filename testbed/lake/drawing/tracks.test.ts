import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromAscii } from '../ascii.ts';
import type { Plan } from '../plan.ts';
import { planned } from '../testing/arbitraries.ts';
import { type Tracks, tracksOf, type Walk, walksOf } from './walk.ts';

function tracks(map: string, plan: Plan): Tracks {
  return tracksOf(walksOf({ instance: fromAscii(map), plan }), 4);
}

describe('tracks', () => {
  it('are one if no trails share a cell', () => {
    expect(tracks('a. .. .A\n.. .. ..\nb. .. .B', ['RR', 'RR'])).toEqual({ count: 1, of: [0, 0] });
  });

  it('are one if trails only cross at right angles', () => {
    expect(tracks('.. b. ..\na. .. .A\n.. .B ..', ['RR', 'DD'])).toEqual({ count: 1, of: [0, 0] });
  });

  it('are two if trails run together, turn on the same cell, or one stops where another passes', () => {
    expect(tracks('a. .. .A\nb. .. .B\n.. .. ..', ['RR', 'URRD']).of).toEqual([0, 1]);
    expect(tracks('.. bA ..\na. .. .B\n.. .. ..', ['RU', 'DR']).of).toEqual([0, 1]);
    expect(tracks('.. b. ..\na. .. .A\n.. .B ..', ['RR', 'DWD']).of).toEqual([0, 1]);
  });

  it('separate trails that run together as long as there are enough', () => {
    fc.assert(
      fc.property(planned({ largest: 8, agents: 6 }), ({ instance, plan }) => {
        const walks = walksOf({ instance, plan });
        const { of } = tracksOf(walks, 6);
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

  it('never exceed the maximum', () => {
    fc.assert(
      fc.property(planned({ largest: 6 }), fc.integer({ min: 1, max: 4 }), ({ instance, plan }, most) => {
        const { count, of } = tracksOf(walksOf({ instance, plan }), most);
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
