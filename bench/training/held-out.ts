// The held-out lakes for trained policies: two agents, sizes 3, 4, 5, 6, 8 and 10 in equal shares, 15 % holes, 25 % with a wait; none of them is
// used for training. Each is tried once with the likeliest moves and once with sampled ones.

import type { Checkpoint } from '../../src/lab/policies/policy.ts';
import { Random } from '../../src/lab/random.ts';
import type { LakeConfiguration } from '../../testbed/lake/configuration.ts';
import { generate } from '../../testbed/lake/generator/generate.ts';
import type { Made } from '../../testbed/lake/generator/maker.ts';
import { type FailureClass, judge } from '../../testbed/lake/judge.ts';
import { readCheckpoint, valuesOf } from '../../testbed/neural/checkpoint.ts';
import { Walker } from '../../testbed/neural/walk.ts';

export interface Knobs {
  readonly sizes: readonly number[];
  readonly hole: number;
  readonly wait: number;
}

export function configurationOf({ sizes, hole, wait }: Knobs, agents = 2): LakeConfiguration {
  const all = [3, 4, 5, 6, 7, 8, 9, 10];
  const share = (size: number): number => (sizes.includes(size) ? 1 / sizes.length : 0);
  return {
    agents,
    sizes: Object.fromEntries(all.map((size) => [String(size), { data: share(size), hole, wait }])),
  } as LakeConfiguration;
}

const mix: Knobs = { sizes: [3, 4, 5, 6, 8, 10], hole: 0.15, wait: 0.25 };
const lakes = 1200;

export function heldOutLakes(): readonly Made[] {
  return [...generate(configurationOf(mix), lakes, { split: 'validation', seed: 'icecore-bench-held-out-1' })];
}

/** Shares, from 0 to 1. */
export interface Score {
  readonly valid: number;
  readonly optimal: number;
  readonly drawn: { readonly valid: number; readonly optimal: number };
  readonly validWithoutWait: number;
  readonly validWithWait: number;
  /** Of the failures. */
  readonly falls: number;
}

interface Tried {
  readonly made: Made;
  readonly failure: FailureClass | null;
  readonly isOptimal: boolean;
}

export async function scoreOf(checkpoint: Checkpoint, held: readonly Made[]): Promise<Score> {
  const walker = new Walker(await readCheckpoint(checkpoint, (file) => valuesOf('policy', file)));
  const attempt = (made: Made, random: Random | null): Tried => {
    walker.load(made.instance);
    const { failures, cost } = judge(made.instance, walker.walk(random, null).plan);
    return { made, failure: failures[0]?.class ?? null, isOptimal: failures.length === 0 && cost === made.cost };
  };
  const tried = held.map((made) => attempt(made, null));
  const drawn = held.map((made, i) => attempt(made, new Random('icecore-bench', 'drawn', i)));
  return {
    valid: share(tried, isValid),
    optimal: share(tried, ({ isOptimal }) => isOptimal),
    drawn: { valid: share(drawn, isValid), optimal: share(drawn, ({ isOptimal }) => isOptimal) },
    validWithoutWait: share(
      tried.filter(({ made }) => !made.kind.needsWait),
      isValid,
    ),
    validWithWait: share(
      tried.filter(({ made }) => made.kind.needsWait),
      isValid,
    ),
    falls: share(
      tried.filter((one) => !isValid(one)),
      ({ failure }) => failure === 'hole',
    ),
  };
}

const isValid = ({ failure }: Tried): boolean => failure === null;

function share(of: readonly Tried[], which: (tried: Tried) => boolean): number {
  return of.length === 0 ? 0 : of.filter(which).length / of.length;
}

export function percent(share: number): string {
  return (100 * share).toFixed(1);
}
