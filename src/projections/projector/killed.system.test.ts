// A process that projects may die at any moment. Every kind of moment is tried: `npm run soak` tries more of each.
import { describe, expect, it } from 'vitest';
import { killProjections } from '../testing/killed.ts';

describe('a process that projects and is killed', () => {
  it('leaves tables that the next one brings to what a rebuild makes, and nothing else', async () => {
    const { faults } = await killProjections({ kills: 10, drawn: Math.random, lookEvery: 5 });
    expect(faults).toEqual([]);
  });
});
