import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromAscii } from '../ascii.ts';
import { judge } from '../judge.ts';
import type { Plan } from '../plan.ts';
import { planned } from '../testing/arbitraries.ts';
import { scenes } from './testing/scenes.ts';
import { type Walks, walksOf } from './walk.ts';

const lake = fromAscii('a. .. .A\n.. ## ..\nb. .. .B');

function walked(plan: Plan): Walks {
  return walksOf({ instance: lake, plan, failures: judge(lake, plan).failures });
}

describe('a walk', () => {
  it('is a list of visits, with the steps waited on each', () => {
    expect(walked(['WWRWRWW']).walks[0]?.visits).toEqual([
      { cell: 0, from: 0, waits: 2, bumps: [] },
      { cell: 1, from: 3, waits: 1, bumps: [] },
      { cell: 2, from: 5, waits: 0, bumps: [] },
    ]);
  });

  it('distinguishes bumps into the edge from waits', () => {
    expect(walked(['UWLR']).walks[0]?.visits[0]).toEqual({
      cell: 0,
      from: 0,
      waits: 1,
      bumps: [
        { towards: 'U', step: 1 },
        { towards: 'L', step: 3 },
      ],
    });
  });

  it('ends in a hole', () => {
    expect(walked(['RDDD']).walks[0]?.visits.map(({ cell }) => cell)).toEqual([0, 1, 4]);
  });

  it('is a single visit without moves, and missing for an extra text of a plan', () => {
    const { walks } = walked(['RR']);
    expect(walks[1]?.visits).toHaveLength(1);
    expect(walksOf({ instance: lake, plan: ['', '', 'RR'] }).walks).toHaveLength(2);
  });

  it('has as many steps as the plan: visits, waits and bumps add up', () => {
    fc.assert(
      fc.property(planned({ largest: 8 }), ({ instance, plan }) => {
        for (const { visits } of walksOf({ instance, plan }).walks) {
          visits.slice(0, -1).forEach(({ from, waits, bumps }, i) => {
            expect(visits[i + 1]?.from).toBe(from + waits + bumps.length + 1);
          });
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe('a breach', () => {
  it('is the first failing step, with every agent that failed then', () => {
    expect(walked(['RLLL', 'LD']).breach).toMatchObject({ step: 1, agents: [1], cells: [6] });
    expect(walked(['DD', 'UU']).breach).toMatchObject({ step: 1, agents: [0, 1], cells: [3] });
    expect(walked(['LR', 'DR']).breach).toMatchObject({ step: 1, agents: [0, 1], cells: [0, 6] });
  });

  it('is null for failures of the answer as a whole', () => {
    expect(
      walksOf({ instance: lake, failures: [{ class: 'parse-error', step: 0, agents: [], cell: null }] }).breach,
    ).toBe(null);
    expect(walked(['RR', 'RR']).breach).toBe(null);
  });

  it('is at the end for failures beyond it', () => {
    const { steps, breach } = walked([`RR${'LR'.repeat(13)}`, 'RR']);
    expect(steps).toBe(24);
    expect(breach).toMatchObject({ step: 24, agents: [0], failures: [{ class: 'horizon', step: 25 }] });
  });

  it('is always a drawn step', () => {
    fc.assert(
      fc.property(scenes({ largest: 6 }, 60), (scene) => {
        const { breach, positions } = walksOf(scene);
        if (breach !== null) expect(positions[breach.step]).toBeDefined();
      }),
      { numRuns: 100 },
    );
  });
});
