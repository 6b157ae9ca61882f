import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/lab/random.ts';
import { fromAscii } from '../ascii.ts';
import { exhaustive } from '../testing/exhaustive.ts';
import { randomLake } from '../testing/random-lakes.ts';
import { Optima } from './jobs.ts';

describe('whether a plan is optimal', () => {
  it('agrees with an exhaustive search, in any order and with repetitions', () => {
    const random = new Random('optima');
    const optima = new Optima(1_000_000);
    for (let i = 0; i < 300; i++) {
      const lake = randomLake(random, { size: 3, agents: 2 + random.below(2), holes: random.below(4) });
      const best = exhaustive(lake);
      if (best === null) continue;
      for (let again = 0; again < 3; again++) {
        const more = random.below(3);
        expect(optima.isOptimal(lake, best.cost + more)).toBe(more === 0);
      }
    }
  });

  it('is unknown if the effort is not enough', () => {
    const lake = fromAscii(['aB .. .. .. .. .. .. bA', ...others].join('\n'));
    expect(new Optima(1_000_000).isOptimal(lake, 23)).toBe(true);
    expect(new Optima(1_000_000).isOptimal(lake, 40)).toBe(false);
    const tried = new Optima(1);
    expect(tried.isOptimal(lake, 40)).toBe(null);
    expect(tried.isOptimal(lake, 41)).toBe(null);
    const [distances, other] = [21, new Optima(1)];
    expect(other.isOptimal(lake, distances)).toBe(true);
    expect(other.isOptimal(lake, 40)).toBe(null);
  });

  it('is known without effort if no agent makes a detour', () => {
    const lake = fromAscii(['a. .. .A .. .. bB .. ..', ...others].join('\n'));
    expect(new Optima(0).isOptimal(lake, 9)).toBe(true);
  });
});

/** Seven agents that each need one step, so that joint positions are too many to enumerate. */
const others = [...'cdefghi'].map((name) => `.. ${name}. .${name.toUpperCase()} .. .. .. .. ..`);
