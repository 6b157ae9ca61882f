import { describe, expect, it } from 'vitest';
import { judge } from '../testbed/lake/judge.ts';
import { Solver } from '../testbed/lake/solver/solver.ts';
import { crossing, optimal, staleDrawings } from './lake-drawings.ts';

describe('the drawings of docs/lake', () => {
  it('are up to date', () => {
    expect(staleDrawings()).toEqual([]);
  });

  it('call only optimal plans optimal', () => {
    const { cost } = judge(crossing, optimal);
    expect(new Solver().solve(crossing)).toMatchObject({ solvable: true, cost });
  });
});
