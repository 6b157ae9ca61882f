import { beforeAll, describe, expect, it } from 'vitest';
import type { LakeShortage } from './generate.ts';
import { type Made, poolOf } from './maker.ts';
import { suiteInstances, suiteNamed, suites } from './suites.ts';
import { type Collected, collected, suiteDigest } from './testing/collected.ts';

/** What the suites are, for ever: of their instances' digests, in their order. */
const golden: Readonly<Record<string, string>> = {
  'agents-2-wait-25': '08099ff9b33d096e04e74d58fdcbebe0ecba5d3dba0f1e0ca30a59aa8ad81f59',
  'agents-2-wait-50': '9e29e79d9649064d77ac9f3dcabdfd514bfc01ef339e93a7e0d3ca9b9e715738',
  'agents-2-wait-75': 'b4fd0ceadf11ec826b68d2657125a032ae002adfa2c9739ad2aa43a494bbfdae',
  'agents-3-wait-25': '4788ba3399eae96ab5d9411f74a6fa9343f34fa1130b4b8c751721647edf5ceb',
  'agents-3-wait-50': '777b2ed75a9124586bdbfbb7679e3e6f377cc7b4a112adec578f5ec4df8cbf76',
  'agents-3-wait-75': '3cce24ec0ab065a7da3af3204b852be49656ec56b8a801ebae412cc2542dc77c',
  'agents-4-wait-25': '14c8c3a156f351b16aea440182227856bbef282d4a41ff1fb6f24fabc00b2978',
  'agents-4-wait-50': 'd1865ca7d7d95ffc4d1d62017f4991d915d8c19e84314cf71407d69bdcfbf9ce',
  'agents-4-wait-75': '0c2e7260f96876fc0b01483303e3c03c198f44857d645add00b6c653761ec324',
  'agents-5-wait-25': 'e98101741bb48bb4d2a983dc3f3547540b1a4b29d2c951df5446a0e982e51558',
  'agents-5-wait-50': '80d271f1611ce1cad53adee8d328393a87d977b5f39f9b1fbf6ffebb227bcd69',
  'agents-5-wait-75': '93d70b52458157bbbb20ff9e0d915472dbd67b2e775919eed5072a3914addf05',
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
