// A policy that computes digit by digit. Each digit has its own skill, the probability that it is correct: one for each place of the
// results of sums, of products and of chains. trainer.ts trains it.

import { readFile } from 'node:fs/promises';
import type { Random } from 'icecore/plugins';
import { z } from 'zod';

/** Of the longest product. */
const maxPlaces = 17;
const untrained = 0.5;
const learning = 0.01;
const forgetting = 0.0005;

export const skillsSchema = z.record(z.string(), z.array(z.number().min(0).max(1)).length(maxPlaces));

type Skills = z.infer<typeof skillsSchema>;

export function novice(): Skills {
  const own = () => Array.from({ length: maxPlaces }, () => untrained);
  return { addition: own(), multiplication: own(), chains: own() };
}

export async function loaded(checkpoint: string): Promise<Skills> {
  return skillsSchema.parse(JSON.parse(await readFile(checkpoint, 'utf8')).state);
}

export function places(right: bigint): number {
  return String(right < 0n ? -right : right).length;
}

/** By place, from the right: every operator is another chance for an error. */
export function chancesOf(skills: Skills, family: string, { operators }: { readonly operators: readonly string[] }) {
  return (skills[family] ?? []).map((skill) => skill ** operators.length);
}

/** A wrong digit is a random digit. */
export function solvedBy(right: bigint, chances: readonly number[], random: Random): string {
  const digits = [...String(right < 0n ? -right : right)];
  const said = digits.map((digit, i) => {
    const chance = chances[digits.length - 1 - i] ?? untrained;
    return random.fraction() < chance ? digit : String(random.below(10));
  });
  return String(BigInt(said.join('')) * (right < 0n ? -1n : 1n));
}

/** In proportion to the variance of the rewards: most if half of the tries succeed, nothing if all or none do. */
export function learn(skills: Skills, family: string, length: number, rewards: readonly number[]): void {
  const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length;
  const variance = rewards.reduce((sum, reward) => sum + (reward - mean) ** 2, 0) / rewards.length;
  const own = skills[family] ?? [];
  for (let place = 0; place < length; place++) {
    const skill = own[place] ?? untrained;
    own[place] = skill + learning * 4 * variance * (1 - skill);
  }
}

/** Skills that no problem of an update needed. */
export function forget(skills: Skills, practised: ReadonlyMap<string, number>): void {
  for (const [family, own] of Object.entries(skills)) {
    for (let place = practised.get(family) ?? 0; place < own.length; place++) {
      const skill = own[place] ?? untrained;
      own[place] = skill - forgetting * (skill - untrained);
    }
  }
}
