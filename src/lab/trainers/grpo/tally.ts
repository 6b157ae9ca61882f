// What an update, or several, came to: over all groups of samples and by group of knobs.
import type { Point, Sampled, Signal } from '../trainer.ts';
import type { Learnt } from './learner.ts';

const equal = 1e-9;

interface Sums {
  instances: number;
  plans: number;
  valid: number;
  reward: number;
  withVariance: number;
  decisions: number;
  entropy: number;
  kl: number;
}

const nothing = (): Sums => ({
  instances: 0,
  plans: 0,
  valid: 0,
  reward: 0,
  withVariance: 0,
  decisions: 0,
  entropy: 0,
  kl: 0,
});

export class Tally {
  readonly #all = nothing();
  readonly #byGroup = new Map<string, Sums>();

  get decisions(): number {
    return this.#all.decisions;
  }

  add(group: string, learnt: Learnt): void {
    const sums = this.#byGroup.get(group) ?? nothing();
    this.#byGroup.set(group, sums);
    for (const into of [this.#all, sums]) addTo(into, learnt);
  }

  point(step: number, decisions: number): Point {
    const { instances, plans, valid, reward, withVariance, entropy, kl } = this.#all;
    return {
      step,
      spent: { decisions },
      values: {
        reward: reward / plans,
        valid: valid / plans,
        signal: withVariance / instances,
        entropy: entropy / this.#all.decisions,
        kl: kl / instances,
      },
    };
  }

  signal(groups: readonly string[]): Signal[] {
    return [signalOf(null, this.#all), ...this.#known(groups).map(([group, sums]) => signalOf(group, sums))];
  }

  sampled(groups: readonly string[]): Sampled[] {
    return this.#known(groups).map(([group, { instances }]) => ({
      group,
      instances,
      share: instances / this.#all.instances,
    }));
  }

  /** In the order of `groups`. */
  #known(groups: readonly string[]): [string, Sums][] {
    return groups.flatMap((group) => {
      const sums = this.#byGroup.get(group);
      return sums === undefined ? [] : [[group, sums] as [string, Sums]];
    });
  }
}

function addTo(sums: Sums, { rewards, valid, decisions, entropy, kl }: Learnt): void {
  sums.instances++;
  sums.plans += rewards.length;
  sums.valid += valid;
  sums.reward += rewards.reduce((sum, reward) => sum + reward, 0);
  if (rewards.some((reward) => Math.abs(reward - (rewards[0] as number)) > equal)) sums.withVariance++;
  sums.decisions += decisions;
  sums.entropy += entropy;
  sums.kl += kl;
}

function signalOf(group: string | null, { instances, withVariance, decisions, entropy, kl }: Sums): Signal {
  return {
    group,
    groups: instances,
    withVariance,
    share: withVariance / instances,
    entropy: entropy / decisions,
    kl: kl / instances,
  };
}
