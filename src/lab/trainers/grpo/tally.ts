// What an update, or several, came to: over all sample groups and by task family.
import type { Point, Sampled, Signal } from '../trainer.ts';
import { differ, type Learnt } from './learner.ts';

type Scores = Point['values'];

interface Sums {
  instances: number;
  plans: number;
  valid: number;
  reward: number;
  withVariance: number;
  agentSteps: number;
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
  agentSteps: 0,
  entropy: 0,
  kl: 0,
});

/** As it can be written down. */
export interface WrittenTally {
  readonly all: Readonly<Sums>;
  readonly families: Readonly<Record<string, Readonly<Sums>>>;
}

export class Tally {
  readonly #all: Sums;
  readonly #byFamily: Map<string, Sums>;

  constructor({ all, families }: WrittenTally = { all: nothing(), families: {} }) {
    this.#all = { ...all };
    this.#byFamily = new Map(Object.entries(families).map(([family, sums]) => [family, { ...sums }]));
  }

  written(): WrittenTally {
    return { all: this.#all, families: Object.fromEntries(this.#byFamily) };
  }

  /** Plans that were compared with others: each is a rollout. */
  get rollouts(): number {
    return this.#all.plans;
  }

  add(family: string, learnt: LearntFigures): void {
    const sums = this.#byFamily.get(family) ?? nothing();
    this.#byFamily.set(family, sums);
    for (const into of [this.#all, sums]) addTo(into, learnt);
  }

  /** Over all, and by family: `valid/8` is the share of the family 8. */
  values(families: readonly string[]): Scores {
    const { instances, plans, reward, entropy, kl, agentSteps } = this.#all;
    return {
      reward: reward / plans,
      valid: this.#all.valid / plans,
      signal: this.#all.withVariance / instances,
      entropy: entropy / agentSteps,
      kl: kl / instances,
      ...Object.fromEntries(
        this.#known(families).flatMap(([family, sums]) => [
          [`valid/${family}`, sums.valid / sums.plans],
          [`signal/${family}`, sums.withVariance / sums.instances],
        ]),
      ),
    };
  }

  signal(families: readonly string[]): Signal[] {
    return [signalOf(null, this.#all), ...this.#known(families).map(([family, sums]) => signalOf(family, sums))];
  }

  sampled(families: readonly string[]): Sampled[] {
    return this.#known(families).map(([family, { instances }]) => ({
      family,
      tasks: instances,
      share: instances / this.#all.instances,
    }));
  }

  /** In the order of `families`. */
  #known(families: readonly string[]): [string, Sums][] {
    return families.flatMap((family) => {
      const sums = this.#byFamily.get(family);
      return sums === undefined ? [] : [[family, sums] as [string, Sums]];
    });
  }
}

function addTo(sums: Sums, { rewards, valid, agentSteps, entropy, kl }: LearntFigures): void {
  sums.instances++;
  sums.plans += rewards.length;
  sums.valid += valid;
  sums.reward += rewards.reduce((sum, reward) => sum + reward, 0);
  if (differ(rewards)) sums.withVariance++;
  sums.agentSteps += agentSteps;
  sums.entropy += entropy;
  sums.kl += kl;
}

function signalOf(family: string | null, { instances, withVariance, agentSteps, entropy, kl }: Sums): Signal {
  return {
    family,
    sampleGroups: instances,
    withVariance,
    share: withVariance / instances,
    entropy: entropy / agentSteps,
    kl: kl / instances,
  };
}
