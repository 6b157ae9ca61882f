import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../../schemas/testing/tries.ts';
import { type LakeConfiguration, startConfiguration } from '../configuration.ts';
import { generate } from './generate.ts';
import type { Made } from './maker.ts';
import { type Kind, kindName, ordersOf, slotsOf } from './orders.ts';
import { collected } from './testing/collected.ts';
import { configurationOf, configurations } from './testing/configurations.ts';

const digests = (made: readonly Made[]): string[] => made.map(({ digest }) => digest);

function made(configuration: LakeConfiguration, count: number, seed: string): readonly Made[] {
  return collected(generate(configuration, count, { split: 'train', seed })).made;
}

function byKind(all: readonly Made[]): Map<string, readonly string[]> {
  const families = Map.groupBy(all, ({ kind }) => kindName(kind));
  return new Map([...families].map(([name, some]) => [name, digests(some)]));
}

describe('generated instances', () => {
  it('have the kinds of the configuration, slot by slot', () => {
    const configuration = { ...startConfiguration, agents: 3 };
    const wanted: Kind[] = [...slotsOf(ordersOf(configuration, 150))].map(({ kind }) => kind);
    for (const split of ['train', 'validation', 'probe', 'probe-holdout', 'test'] as const) {
      const { made, shortages } = collected(generate(configuration, 150, { split, seed: 'kinds' }));
      expect(made.map(({ kind }) => kind)).toEqual(wanted);
      expect(shortages).toEqual([]);
    }
  });

  it('are the same for the same seed, and differ for another', () => {
    fc.assert(
      fc.property(configurations({ sizes: [4, 5, 6], maxHoles: 300 }), fc.string(), fc.string(), (some, one, other) => {
        const configuration = configurationOf(some, 3);
        const first = made(configuration, 30, one);
        expect(made(configuration, 30, one)).toEqual(first);
        if (one === other) return;
        const others = new Set(digests(made(configuration, 30, other)));
        expect(digests(first).filter((digest) => others.has(digest)).length).toBeLessThan(5);
      }),
      { numRuns: tries(20) },
    );
  });

  it('of a kind do not depend on the share of the kind: fewer are a prefix of more', () => {
    const knobs = { hole: 0.25, wait: 0.5 };
    const shares = (three: number): LakeConfiguration => ({
      agents: 3,
      sizes: { 3: { data: three, hole: 2 / 9, wait: 0.5 }, 4: { data: 1 - three, ...knobs } },
    });
    const few = byKind(made(shares(0.2), 40, 'shares'));
    const many = byKind(made(shares(0.7), 60, 'shares'));
    expect(few.size).toBe(4);
    for (const [name, some] of few) {
      const others = many.get(name) ?? [];
      const length = Math.min(some.length, others.length);
      expect(length).toBeGreaterThan(1);
      expect(others.slice(0, length)).toEqual(some.slice(0, length));
    }
  });

  it('are generated one by one', () => {
    const instances = generate(startConfiguration, 1e9, { split: 'train', seed: 'lazy' });
    const [slot] = slotsOf(ordersOf(startConfiguration, 1e9));
    expect(instances.next().value).toMatchObject({ kind: slot?.kind });
  });

  it('are none for a count of 0', () => {
    expect(collected(generate(startConfiguration, 0, { split: 'test', seed: 'none' }))).toEqual({
      made: [],
      shortages: [],
    });
  });
});
