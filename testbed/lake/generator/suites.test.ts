import { describe, expect, it } from 'vitest';
import { suiteInstances, suiteNamed, suites } from './suites.ts';
import { type Collected, collected } from './testing/collected.ts';
import { suiteHolds, waits } from './testing/suite.ts';

function edition(name: string): Collected {
  const suite = suiteNamed(name);
  if (suite === null) throw new Error(`there is no suite ${name}`);
  return collected(suiteInstances(suite));
}

describe('the suites', () => {
  it('are twelve: two to five agents with 25, 50 and 75 % waits', () => {
    expect(suites.map(({ name }) => name)).toEqual([
      'agents-2-wait-25',
      'agents-2-wait-50',
      'agents-2-wait-75',
      'agents-3-wait-25',
      'agents-3-wait-50',
      'agents-3-wait-75',
      'agents-4-wait-25',
      'agents-4-wait-50',
      'agents-4-wait-75',
      'agents-5-wait-25',
      'agents-5-wait-50',
      'agents-5-wait-75',
    ]);
  });

  it('have fifty instances of each size from 3, or from the number of agents, to 10', () => {
    for (const { agents, sizes, perSize } of suites) {
      expect(perSize).toBe(50);
      expect(sizes).toEqual([3, 4, 5, 6, 7, 8, 9, 10].filter((size) => size >= agents));
    }
  });
});

// The others are generated in system tests.
for (const suite of suites.filter(({ agents }) => agents === 2)) suiteHolds(suite);

describe('an edition of a suite', () => {
  it('has another number of instances of each size, and the nearest share of waits', () => {
    expect(suiteNamed('agents-3-wait-50-of-6')).toMatchObject({ name: 'agents-3-wait-50-of-6', agents: 3, wait: 0.5 });
    const { made, shortages } = edition('agents-3-wait-50-of-6');
    expect(made).toHaveLength(8 * 6);
    expect(waits(made)).toBe(8 * 3);
    expect(shortages).toEqual([]);
  });

  it.each([
    ['agents-4-wait-25-of-1', 7, 0],
    ['agents-4-wait-75-of-1', 7, 7],
    ['agents-5-wait-25-of-2', 12, 6],
  ])('is exact even if it is tiny: %s', (name, instances, waiting) => {
    const { made } = edition(name);
    expect(made).toHaveLength(instances);
    expect(waits(made)).toBe(waiting);
  });

  it('of fifty is the suite itself', () => {
    expect(suiteNamed('agents-2-wait-25-of-50')).toEqual(suiteNamed('agents-2-wait-25'));
  });

  it('of more instances than exist on 3 x 3 has fewer, and reports it', () => {
    const suite = suiteNamed('agents-2-wait-50-of-400');
    if (suite === null) throw new Error('there is no such suite');
    const { made, shortages } = collected(suiteInstances({ ...suite, sizes: [3] }));
    expect(made.length).toBeLessThan(400);
    const missing = shortages.reduce((sum, { asked, achieved, replaced }) => sum + asked - achieved - replaced, 0);
    expect(made.length + missing).toBe(400);
    expect(new Set(made.map(({ symmetryDigest }) => symmetryDigest)).size).toBe(made.length);
  });
});

describe('an unknown suite name', () => {
  it.each([
    '',
    'agents-6-wait-50',
    'agents-2-wait-30',
    'agents-2-wait-25-of-0',
    'agents-2-wait-25-of-07',
    'agents-2-wait-25-of-10000',
    'agents-2-wait-25-of-5-of-5',
    'agents-2-wait-25-of-',
    'agents-2-wait-25 ',
    'agents-2-wait-25\n',
    'Agents-2-wait-25',
    'constructor',
  ])('is refused: %j', (name) => {
    expect(suiteNamed(name)).toBeNull();
  });
});
