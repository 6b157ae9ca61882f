// The progress of a training: its curve and all counts. It is saved with every checkpoint, so that a resumed training reports the same
// at its end as one that never stopped.
import type { Point, Sampled, Signal, Trained } from '../../src/library/plugins/tools.ts';
import { type Learnt, rewardsDiffer } from './learner.ts';

/** The approximate number of points of a curve; long trainings have more, so that observers see regular progress. */
const points = 100;
const agentStepsAPoint = 100_000;
/** The maximum, because the points are saved with every checkpoint. */
const maxPoints = 1000;

/** The figures of one task. */
type FamilyFigures = LearntFigures & { readonly family: string };

export interface WrittenRecord {
  readonly curve: readonly Point[];
  readonly whole: WrittenTally;
  readonly lately: WrittenTally;
}

export class TrainingRecord {
  readonly #families: readonly string[];
  readonly #every: number;
  readonly #curve: Point[];
  readonly #whole: Tally;
  /** Since the last point. */
  #lately: Tally;

  constructor(families: readonly string[], budget: number, written?: WrittenRecord) {
    this.#families = families;
    this.#every = Math.max(1, budget / maxPoints, Math.min(budget / points, agentStepsAPoint));
    this.#curve = [...(written?.curve ?? [])];
    this.#whole = new Tally(written?.whole);
    this.#lately = new Tally(written?.lately);
  }

  /** Records an update, after `agentSteps` in total; returns the point of the curve, if one is due. */
  add(taken: readonly FamilyFigures[], update: number, agentSteps: number, isLast: boolean): Point | null {
    for (const one of taken) for (const tally of [this.#whole, this.#lately]) tally.add(one.family, one);
    const before = this.#curve.at(-1)?.spent?.['agent-steps'] ?? 0;
    if (!isLast && Math.floor(agentSteps / this.#every) === Math.floor(before / this.#every)) return null;
    const point = { step: update, spent: { 'agent-steps': agentSteps }, values: this.#lately.values(this.#families) };
    this.#lately = new Tally();
    this.#curve.push(point);
    return point;
  }

  /** Rollouts so far. */
  get rollouts(): number {
    return this.#whole.rollouts;
  }

  figures(): Pick<Trained, 'curve' | 'signal' | 'sampled'> {
    return {
      curve: this.#curve,
      signal: this.#whole.signal(this.#families),
      sampled: this.#whole.sampled(this.#families),
    };
  }

  written(): WrittenRecord {
    return { curve: this.#curve, whole: this.#whole.written(), lately: this.#lately.written() };
  }
}

// The sums of one or several updates: over all sample groups and by task family.

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

/** The figures of one task that are summed. */
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

/** Its serialised form. */
interface WrittenTally {
  readonly all: Readonly<Sums>;
  readonly families: Readonly<Record<string, Readonly<Sums>>>;
}

class Tally {
  readonly #all: Sums;
  readonly #byFamily: Map<string, Sums>;

  constructor({ all, families }: WrittenTally = { all: nothing(), families: {} }) {
    this.#all = { ...all };
    this.#byFamily = new Map(Object.entries(families).map(([family, sums]) => [family, { ...sums }]));
  }

  written(): WrittenTally {
    return { all: this.#all, families: Object.fromEntries(this.#byFamily) };
  }

  /** Plans that were compared with others; each is a rollout. */
  get rollouts(): number {
    return this.#all.plans;
  }

  add(family: string, learnt: LearntFigures): void {
    const sums = this.#byFamily.get(family) ?? nothing();
    this.#byFamily.set(family, sums);
    for (const into of [this.#all, sums]) addTo(into, learnt);
  }

  /** Over all, and by family: `valid/8` is the share in family 8. */
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
  if (rewardsDiffer(rewards)) sums.withVariance++;
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
