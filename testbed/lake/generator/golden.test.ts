// Generated instances never change: ledgers record configurations, seeds and digests and depend on that.
import { expect, it } from 'vitest';
import type { Split } from '../../../src/lab/environments/environment.ts';
import { type LakeConfiguration, startConfiguration } from '../configuration.ts';
import { generate } from './generate.ts';
import { probe } from './suites.ts';
import { suiteDigest } from './testing/collected.ts';

const uneven: LakeConfiguration = {
  agents: 3,
  sizes: {
    3: { data: 0.1, hole: 0.3, wait: 0.6 },
    5: { data: 0.55, hole: 0.21, wait: 0.4 },
    8: { data: 0.35, hole: 0.4, wait: 0.1 },
  },
};
const tiny: LakeConfiguration = { agents: 2, sizes: { 3: { data: 1, hole: 0, wait: 0.25 } } };
const crowded: LakeConfiguration = { ...startConfiguration, agents: 5 };

it.each<[name: string, configuration: LakeConfiguration, split: Split, seed: string, digest: string]>([
  [
    'the first configuration',
    startConfiguration,
    'train',
    '1',
    '68b47b1ab385e33dcbb3214db33dbc1ff27cdbe1503b0bd2c7647c82c2bb2c74',
  ],
  [
    'the first configuration',
    startConfiguration,
    'train',
    '2',
    'b2fa506fd0ed117ccb0323fedca585b458126fac2885acce773dbbe2c887ac18',
  ],
  [
    'the first configuration',
    startConfiguration,
    'validation',
    '1',
    'e6172060cca6cd1eece8b648254b1c6633467dcc23a912f92162051e7b93f3ec',
  ],
  [
    'an uneven one',
    uneven,
    'train',
    'a seed with ❄',
    '9babd812380ade49cbc4d79b746a08570b9e044cc4bfe3b94ba2e1eaea08e62d',
  ],
  ['an uneven one', uneven, 'test', '1', 'ad9fac17c2f9acbde02e2b0cd777b6fea3f01e5c5bfe69a0e82dac8b2991fb86'],
  ['one that cannot be met', tiny, 'train', '1', 'fb3e9b2a1f3af1f8107afa8d929c8c172b50bc3915fd28e1171e2be1a5c76cf0'],
  ['one that cannot be met', tiny, 'probe', '1', '77401388f6087689096f19da6e9089fdad1ba0cd5a9e0fec670580d0e609e4b2'],
  ['many agents', crowded, 'probe-holdout', '1', '958fc21971f73a11cf1316aef00bff821b5224cb8b80904c79c3b7e302526eef'],
])('%s yields the same instances as ever: %#', (_, configuration, split, seed, digest) => {
  expect(suiteDigest(generate(configuration, 60, { split, seed }))).toBe(digest);
});

it.each<['probe' | 'probe-holdout', string]>([
  ['probe', '9f19677be19fc753b606661ea53c62b365c2f1ce93db12d0c51c41822bb7a1fd'],
  ['probe-holdout', '84fb8bc8d1ab76e16dd095b6d64a622780d0e3b1de7375e1cec5cd109d6af3a7'],
])('the split "%s" never changes', (split, digest) => {
  expect(suiteDigest(probe(4, 1, { split, seed: '1' }))).toBe(digest);
});
