// How the policy does and conducts itself: how often it succeeds in each group, and the means of whatever its environment
// measures of a rollout. How it fails is for another module to say.
import type { Descriptor } from '../../../schemas/environment.ts';
import { wilson } from '../../lab/statistics/wilson.ts';
import { entry, type Fact, figure, metGroups, type Seen, type Summariser, type Sums } from './summary.ts';

interface Counts {
  rollouts: number;
  valid: number;
  readonly means: Map<string, { sum: number; count: number }>;
}

export class Behaviour implements Summariser {
  readonly module = 'behaviour';
  readonly #descriptor: Descriptor;
  readonly #groups = new Map<string, Counts>();

  constructor(descriptor: Descriptor) {
    this.#descriptor = descriptor;
  }

  add({ data, group, failureClass }: Seen): void {
    const counts = entry(this.#groups, group, () => ({ rollouts: 0, valid: 0, means: new Map() }));
    counts.rollouts += 1;
    if (failureClass === null) counts.valid += 1;
    const measured = {
      ...data.metrics,
      ...(data.decisions === undefined ? {} : { decisions: data.decisions }),
      ...data.tokens,
    };
    for (const [name, value] of Object.entries(measured)) {
      if (typeof value !== 'number') continue;
      const mean = entry(counts.means, name, () => ({ sum: 0, count: 0 }));
      mean.sum += value;
      mean.count += 1;
    }
  }

  sums(): Sums {
    const groups = metGroups(this.#descriptor, new Set(this.#groups.keys()));
    const facts = groups.flatMap((group) => factsOf(group, this.#groups.get(group) as Counts));
    return { facts, exemplars: [] };
  }
}

function factsOf(group: string, { rollouts, valid, means }: Counts): Fact[] {
  const { low, high } = wilson(valid, rollouts);
  return [
    {
      label: `B${group}.valid`,
      group,
      measure: 'valid',
      value: figure(valid / rollouts),
      count: valid,
      of: rollouts,
      low: figure(low),
      high: figure(high),
    },
    ...[...means]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(
        ([name, { sum, count }]): Fact => ({
          label: `B${group}.${name}`,
          group,
          measure: name,
          value: figure(sum / count),
          count,
          of: rollouts,
        }),
      ),
  ];
}
