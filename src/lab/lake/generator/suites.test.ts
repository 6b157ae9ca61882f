import { beforeAll, describe, expect, it } from 'vitest';
import type { Made } from './maker.ts';
import { poolOf } from './pools.ts';
import type { LakeShortage } from './shortage.ts';
import { suiteDigest, suiteInstances, suiteNamed, suites } from './suites.ts';
import { type Collected, collected } from './testing/collected.ts';

/** What the suites are, for ever: of their instances' digests, in their order. */
const golden: Readonly<Record<string, string>> = {
  'agents-2-wait-25': '9130923ee24db2b135a4ed031b1f72e5d306e582136555b9987285a9787393bc',
  'agents-2-wait-50': 'e98e9e80e851cb86bfcf30c4e90ddc03ae4ae6cdcf499ae1891f5c0b00ca9f0d',
  'agents-2-wait-75': '4d2c6894764de7974d74cf2e4cbd00d40b931f64c0ac30223dc89d58f70e9e86',
  'agents-3-wait-25': '9fa47a5520f3726e198ca8d49b365180e93da94bbcf1a0c1fd2ba017112c48c5',
  'agents-3-wait-50': 'b6e62269064ce27fb27a70c9943431778a2084314d2767c403d4763db2ef3496',
  'agents-3-wait-75': 'b4960a3d9a773769530c96776c8ab0756e45e574c922270e782f6179676082d6',
  'agents-4-wait-25': '804101a98c2beec8fc5ec9fb86b8303bb633942d1c4bbb0b1decf080f144e95a',
  'agents-4-wait-50': 'a8c640012db5ae64f06450240984253415995e0e224ce47dbc026516c0f02404',
  'agents-4-wait-75': '4d46b9405570aed90605bcd22eac17a86a4dd0a13e98d3e37fdfb775753ff451',
  'agents-5-wait-25': 'e89acdb9c232da9f3488ea16222594a4b66940a902cc3042f1320a5c46b3cdc3',
  'agents-5-wait-50': '6e8d4f8b98fcc89fb60d9d1dc6910c983da24217d777f032dd8847c799d0843c',
  'agents-5-wait-75': '0f2eea5bfd34bd7efae21af60e59ea430031b17a8bab79e21e56bdf294329339',
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
