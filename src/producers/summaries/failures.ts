// How the policy fails: how often in which way in each group, and rollouts that stand for many. Of every way and group
// some are kept, which ones follows from their ids; the ways that are met most often are shown first, each with one before
// any with a second.
import type { Descriptor } from '../../../schemas/environment.ts';
import { sha256 } from '../../ledger/identity/ids.ts';
import {
  type Exemplar,
  entry,
  type Fact,
  figure,
  metGroups,
  type Seen,
  type Summariser,
  type Sums,
} from './summary.ts';

/** Of one way to fail in one group. */
interface Way {
  readonly group: string;
  readonly failureClass: string;
  count: number;
  /** The first few by lot, which depends on nothing but their ids. */
  readonly drawn: { readonly lot: string; readonly id: string }[];
}

export interface FailuresOptions {
  /** How many rollouts are shown. */
  readonly exemplars: number;
}

/** Of one way to fail in one group, at most so many are shown. */
const mostOfAWay = 4;

export class Failures implements Summariser {
  readonly module = 'failures';
  readonly #descriptor: Descriptor;
  readonly #options: FailuresOptions;
  readonly #ways = new Map<string, Way>();
  /** By group, all rollouts. */
  readonly #rollouts = new Map<string, number>();

  constructor(descriptor: Descriptor, options: FailuresOptions) {
    this.#descriptor = descriptor;
    this.#options = options;
  }

  add({ id, group, failureClass }: Seen): void {
    this.#rollouts.set(group, (this.#rollouts.get(group) ?? 0) + 1);
    if (failureClass === null) return;
    const way = entry(this.#ways, JSON.stringify([group, failureClass]), () => ({
      group,
      failureClass,
      count: 0,
      drawn: [],
    }));
    way.count += 1;
    const lot = sha256(id);
    if (way.drawn.length === mostOfAWay && lot > (way.drawn.at(-1)?.lot ?? '')) return;
    way.drawn.push({ lot, id });
    way.drawn.sort((a, b) => (a.lot < b.lot ? -1 : 1));
    if (way.drawn.length > mostOfAWay) way.drawn.pop();
  }

  sums(): Sums {
    const groups = metGroups(this.#descriptor, new Set(this.#rollouts.keys()));
    const ways = groups.flatMap((group) =>
      [...this.#ways.values()]
        .filter((way) => way.group === group)
        .sort((a, b) => b.count - a.count || (a.failureClass < b.failureClass ? -1 : 1)),
    );
    return { facts: ways.map((way) => this.#factOf(way)), exemplars: this.#exemplarsOf(ways) };
  }

  #factOf({ group, failureClass, count }: Way): Fact {
    const of = this.#rollouts.get(group) as number;
    return {
      label: `FC${group}.${failureClass}`,
      group,
      measure: 'failures',
      about: failureClass,
      value: figure(count / of),
      count,
      of,
    };
  }

  #exemplarsOf(ways: readonly Way[]): Exemplar[] {
    const often = ways.toSorted((a, b) => b.count - a.count);
    const chosen = Array.from({ length: mostOfAWay }, (_, round) =>
      often.flatMap(({ group, failureClass, drawn }) => {
        const id = drawn[round]?.id;
        return id === undefined ? [] : [{ rollout: id, group, class: failureClass }];
      }),
    ).flat();
    return chosen.slice(0, this.#options.exemplars).map((exemplar, i) => ({ label: `F${i + 1}`, ...exemplar }));
  }
}
