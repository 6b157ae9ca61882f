import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromAscii } from '../ascii.ts';
import { planned } from '../testing/arbitraries.ts';
import { curve, Grid, stretchesOf, turn } from './svg-ground.ts';
import { lanesOf, walksOf } from './walk.ts';

const grid = new Grid(3, 40, 0, 0);

function shifts(plan: string): number[] {
  const walks = walksOf({ instance: fromAscii('a. .. .A\n.. .. ..\n.. .. ..'), plan: [plan] });
  const [walk] = walks.walks;
  return walk === undefined ? [] : stretchesOf(walk, lanesOf(walks, 6), grid).map(({ shift }) => shift);
}

describe('the course of a trail', () => {
  it('keeps to its lane as long as it goes new ways', () => {
    expect(new Set(shifts('RRDDLLUR'))).toEqual(new Set([0]));
  });

  it('lies beside itself where it goes back', () => {
    const [there, further, back] = shifts('RRLR');
    expect(there).toBe(further);
    expect(Math.abs((back ?? 0) - (further ?? 0))).toBeGreaterThan(4);
  });

  it('turns where two lanes meet, and changes sides within a cell', () => {
    const right = { direction: 'R', shift: 3, step: 1 } as const;
    expect(turn({ x: 60, y: 60 }, right, { direction: 'D', shift: -2, step: 2 })).toEqual([{ x: 58, y: 63 }]);
    expect(turn({ x: 60, y: 60 }, right, { direction: 'L', shift: -2, step: 2 })).toEqual([
      { x: 63, y: 63 },
      { x: 63, y: 58 },
    ]);
  });

  it('stays within its cells', () => {
    fc.assert(
      fc.property(planned({ largest: 6, agents: 8 }), ({ instance, plan }) => {
        const walks = walksOf({ instance, plan });
        const lanes = lanesOf(walks, 6);
        const board = new Grid(instance.size, 40, 0, 0);
        for (const walk of walks.walks) {
          for (const { shift } of stretchesOf(walk, lanes, board)) expect(Math.abs(shift)).toBeLessThan(14);
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe('a curve', () => {
  it('is straight where its points are, and round where they turn', () => {
    const points = [
      { x: 0, y: 0 },
      { x: 20, y: 0 },
      { x: 40, y: 0 },
      { x: 40, y: 40 },
    ];
    expect(curve(points, 8)).toBe('M0 0L32 0Q40 0 40 8L40 40');
  });

  it('rounds no more than there is room for', () => {
    const hairpin = [
      { x: 0, y: 0 },
      { x: 20, y: 0 },
      { x: 20, y: 4 },
      { x: 0, y: 4 },
    ];
    expect(curve(hairpin, 8)).toBe('M0 0L18 0Q20 0 20 2L20 2Q20 4 18 4L0 4');
  });
});
