// What was generated once is generated for ever: ledgers hold configurations, seeds and digests, and count on that.
import { expect, it } from 'vitest';
import type { Split } from '../../environments/environment.ts';
import { type LakeConfiguration, startConfiguration } from '../configuration.ts';
import { generate } from './generate.ts';
import { probe } from './probe.ts';
import { suiteDigest } from './suites.ts';

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
    '95c380b25df3dc3949828d3d300cbdbaee0a9ec94e30bfff9511db688215ddd2',
  ],
  [
    'the first configuration',
    startConfiguration,
    'train',
    '2',
    'fb58adbf6b08c9d1bf4383f84d86986f7a62dd8fa16b84c0d53f9c14d1e72e8c',
  ],
  [
    'the first configuration',
    startConfiguration,
    'validation',
    '1',
    'b1c4dfe2b2bb8efbcad2da4a6bd6958b7564cfbad0913cb4e99d8a41e10e2431',
  ],
  [
    'an uneven one',
    uneven,
    'train',
    'a seed with ❄',
    'a5834716c89ec2975723aacbb38567443ca438e89bee75882fc3f170cffb1999',
  ],
  ['an uneven one', uneven, 'test', '1', '394b43756dc30d043344b83536ebac618ced1fb31c6d690e23691ce39c5bf95e'],
  ['one that cannot be met', tiny, 'train', '1', '76c7d74f60d8df2b4b9213f906b210e9237432d84b5a3e219b215273493483cd'],
  ['one that cannot be met', tiny, 'probe', '1', 'e41d46f2e15ffc06459fba0850fd9d5c42b89cd39f8de6b218c616a722ad1675'],
  ['many agents', crowded, 'held-back', '1', '356dc8d697f8b18ee0b49b26f4d121711db307aee8d5ca2bee078b8f89810430'],
])('%s yields what it always did: %#', (_, configuration, split, seed, digest) => {
  expect(suiteDigest(generate(configuration, 60, { split, seed }))).toBe(digest);
});

it.each<['probe' | 'held-back', string]>([
  ['probe', '2bc8e27b43e42ba4be94170e798af490f204677742bde183e120828110e9cb4f'],
  ['held-back', 'c75dc1e5ccd8df111b825eb1ea5bb8942a750adc89ee47f362671cfafd98e133'],
])('the pool "%s" is what it always was', (split, digest) => {
  expect(suiteDigest(probe(4, 1, { split, seed: '1' }))).toBe(digest);
});
