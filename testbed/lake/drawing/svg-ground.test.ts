import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromAscii } from '../ascii.ts';
import { planned } from '../testing/arbitraries.ts';
import { Grid, shiftOf, trails } from './svg-ground.ts';
import { tracksOf, walksOf } from './walk.ts';

const grid = new Grid(3, 40, 0, 0);

/** The lines of a plan of one agent from the first cell to the last. */
function linesOf(plan: string): readonly string[] {
  const walks = walksOf({ instance: fromAscii('a. .. ..\n.. .. ..\n.. .. .A'), plan: [plan] });
  const markup = trails(walks, tracksOf(walks, 6), grid);
  return Array.from(markup.matchAll(/class="lake-trail"[^>]* d="([^"]*)"/g), ([, d = '']) => d);
}

describe('the line of a trail', () => {
  it('goes through the centres of cells, is rounded at turns, and ends before the ring of the goal', () => {
    expect(linesOf('RRDD')).toEqual(['M20 20L90.4 20Q100 20 100 29.6L100 82']);
  });

  it('ends at the edge that an agent runs into', () => {
    expect(linesOf('U')).toEqual(['M20 20L20 0M24 0L16 0']);
  });

  it('stays within its cells', () => {
    fc.assert(
      fc.property(planned({ largest: 6, agents: 8 }), ({ instance, plan }) => {
        const walks = walksOf({ instance, plan });
        const tracks = tracksOf(walks, 6);
        for (const { agent } of walks.walks) expect(Math.abs(shiftOf(agent, tracks, grid))).toBeLessThan(14);
      }),
      { numRuns: 50 },
    );
  });
});
