// What an update, or several, came to: over all groups of samples and by group of knobs.
import type { Point, Sampled, Signal } from '../trainer.ts';
import { differ, type Learnt } from './learner.ts';

type Scores = Point['values'];

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

/** What is added up of one lesson. */
export type LearntFigures = Omit<Learnt, 'walks'>;

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

/** As it can be written down. */
export interface WrittenTally {
  readonly all: Readonly<Sums>;
  readonly groups: Readonly<Record<string, Readonly<Sums>>>;
}

export class Tally {
  readonly #all: Sums;
  readonly #byGroup: Map<string, Sums>;

  constructor({ all, groups }: WrittenTally = { all: nothing(), groups: {} }) {
    this.#all = { ...all };
    this.#byGroup = new Map(Object.entries(groups).map(([group, sums]) => [group, { ...sums }]));
  }

  written(): WrittenTally {
    return { all: this.#all, groups: Object.fromEntries(this.#byGroup) };
  }

  /** Plans that were compared with others: each is a rollout. */
  get rollouts(): number {
    return this.#all.plans;
  }

  add(group: string, learnt: LearntFigures): void {
    const sums = this.#byGroup.get(group) ?? nothing();
    this.#byGroup.set(group, sums);
    for (const into of [this.#all, sums]) addTo(into, learnt);
  }

  /** Over all, and by group: `valid/8` is the share of the group 8. */
  values(groups: readonly string[]): Scores {
    const { instances, plans, reward, entropy, kl, decisions } = this.#all;
    return {
      reward: reward / plans,
      valid: this.#all.valid / plans,
      signal: this.#all.withVariance / instances,
      entropy: entropy / decisions,
      kl: kl / instances,
      ...Object.fromEntries(
        this.#known(groups).flatMap(([group, sums]) => [
          [`valid/${group}`, sums.valid / sums.plans],
          [`signal/${group}`, sums.withVariance / sums.instances],
        ]),
      ),
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

function addTo(sums: Sums, { rewards, valid, decisions, entropy, kl }: LearntFigures): void {
  sums.instances++;
  sums.plans += rewards.length;
  sums.valid += valid;
  sums.reward += rewards.reduce((sum, reward) => sum + reward, 0);
  if (differ(rewards)) sums.withVariance++;
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
