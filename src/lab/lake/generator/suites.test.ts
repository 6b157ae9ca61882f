import { beforeAll, describe, expect, it } from 'vitest';
import type { Made } from './maker.ts';
import { poolOf } from './pools.ts';
import type { LakeShortage } from './shortage.ts';
import { suiteDigest, suiteInstances, suiteNamed, suites } from './suites.ts';
import { type Collected, collected } from './testing/collected.ts';

/** What the suites are, for ever: of their instances' digests, in their order. */
const golden: Readonly<Record<string, string>> = {
  'agents-2-wait-25': '2c98820d623cb025cf17e9b37e2b3e54fed20760948ee804d370a46de804c2f3',
  'agents-2-wait-50': '64c4cd9a457b05a70a653a6d815d59c867d465771fb1ea8727e1817712328c36',
  'agents-2-wait-75': 'c0152fa8ff35bc5d114951ff3ac14920d832ab692b759f4f47e903dc426ec5f1',
  'agents-3-wait-25': 'bf762d7e81459212d2d7c65c15a28e2bca00810efa1d1e5c897d100135723b26',
  'agents-3-wait-50': 'c613b9a55396b1f6d910563293e281331e6770a70a3368b7615632452ce90b06',
  'agents-3-wait-75': 'dcbd2b8c6aa5620b5dbaa7968c6b0706b3384b215a2bc7f6e84d8731c0f48abd',
  'agents-4-wait-25': '7f13a0905e1f1a22523a9d7c754989301890d9da506fc2291e1d19c5fb50e625',
  'agents-4-wait-50': '29b592e68a2b675d5e14a257c1c790c345958b59e0709ae98d27a7184643455b',
  'agents-4-wait-75': 'c6f0e2d05cd014151e9af89fd2887f5c7dc246fe6656ac4410bd4f3b157eadfa',
  'agents-5-wait-25': '1b89f9f983225e676f8a754f85a2c41ba6acba0301dd4c6927d2343f5d7336ae',
  'agents-5-wait-50': '9ddc6b8921822d93089f76664234729574ba3b43cd33ff2917ea2ee50378a167',
  'agents-5-wait-75': '2c5b4dbc2e853bb1996c51a26638507f658b8bdc090877819d1fe6ece8e664e0',
};

function edition(name: string): Collected {
  const suite = suiteNamed(name);
  if (suite === null) throw new Error(`there is no suite ${name}`);
  return collected(suiteInstances(suite));
}

function waits(made: readonly Made[]): number {
  return made.filter(({ kind }) => kind.needsWait).length;
}

describe('the suites', () => {
  it('are twelve: two to five agents, a quarter, half and three quarters of the instances with a wait', () => {
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

describe.each(suites)('the suite $name', (suite) => {
  let made: readonly Made[];
  let shortages: readonly LakeShortage[];
  let bySize: ReadonlyMap<number, readonly Made[]>;

  beforeAll(() => {
    ({ made, shortages } = collected(suiteInstances(suite)));
    bySize = Map.groupBy(made, ({ kind }) => kind.size);
  });

  it('is what it was', () => {
    expect(suiteDigest(made)).toBe(golden[suite.name]);
  });

  it('has fifty instances of each size, of which 13, 25 or 38 need a wait', () => {
    expect(new Set(made.map(({ instance }) => instance.agents.length))).toEqual(new Set([suite.agents]));
    expect([...bySize.keys()].sort((a, b) => a - b)).toEqual(suite.sizes);
    const waiting = { 0.25: 13, 0.5: 25, 0.75: 38 }[suite.wait];
    for (const some of bySize.values()) {
      expect(some).toHaveLength(50);
      expect(waits(some)).toBe(waiting);
    }
  });

  it('has holes from none to 30 % of the cells, each level as often as another where there are enough', () => {
    for (const [size, some] of bySize) {
      const levels = [0, 0.1, 0.2, 0.3].map((share) => Math.round(share * size ** 2));
      for (const needsWait of [false, true]) {
        const group = some.filter(({ kind }) => kind.needsWait === needsWait);
        const counts = levels.map((holes) => group.filter(({ kind }) => kind.holes === holes).length);
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(group.length);
        if (size > 3 || suite.agents > 2) expect(Math.max(...counts) - Math.min(...counts)).toBeLessThan(2);
      }
    }
  });

  it('has no instance twice, turned, mirrored or renumbered neither, and all from the pool "test"', () => {
    expect(new Set(made.map(({ symmetryDigest }) => symmetryDigest)).size).toBe(made.length);
    expect(made.every(({ symmetryDigest }) => poolOf(symmetryDigest) === 'test')).toBe(true);
  });

  it('has other holes only where two agents on 3 x 3 without any have to wait', () => {
    const lacking = { size: 3, agents: 2, holes: 0, needsWait: true };
    const kinds = shortages.map(({ kind }) => kind);
    expect(kinds).toEqual(suite.agents === 2 ? [lacking] : []);
    for (const { asked, achieved, replaced } of shortages) expect(achieved + replaced).toBe(asked);
  });
});

describe('an edition of a suite', () => {
  it('has another number of instances of each size, and the share of waits nearest to the same', () => {
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
  ])('is exact also where it is tiny: %s', (name, instances, waiting) => {
    const { made } = edition(name);
    expect(made).toHaveLength(instances);
    expect(waits(made)).toBe(waiting);
  });

  it('of fifty is the suite itself', () => {
    expect(suiteNamed('agents-2-wait-25-of-50')).toEqual(suiteNamed('agents-2-wait-25'));
  });

  it('of more than there are on 3 x 3 has fewer, and says so', () => {
    const suite = suiteNamed('agents-2-wait-50-of-400');
    if (suite === null) throw new Error('there is no such suite');
    const { made, shortages } = collected(suiteInstances({ ...suite, sizes: [3] }));
    expect(made.length).toBeLessThan(400);
    const missing = shortages.reduce((sum, { asked, achieved, replaced }) => sum + asked - achieved - replaced, 0);
    expect(made.length + missing).toBe(400);
    expect(new Set(made.map(({ symmetryDigest }) => symmetryDigest)).size).toBe(made.length);
  });
});

describe('a name that no suite has', () => {
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
  ])('is unknown: %j', (name) => {
    expect(suiteNamed(name)).toBeNull();
  });
});
