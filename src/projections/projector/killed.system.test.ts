// A projecting process may be killed at any moment. Every kind of moment is tried: `npm run soak` tries more of each.
import { describe, expect, it } from 'vitest';
import { killProjections } from '../testing/killed.ts';

describe('a projecting process that is killed', () => {
  it('leaves tables that the next one updates to the same as a rebuild', async () => {
    const { faults } = await killProjections({ kills: 10, drawn: Math.random, lookEvery: 5 });
    expect(faults).toEqual([]);
  });
});
