// What the evidence of a stage adds up to for one module of a context. Rollouts go by one after the other and are not
// kept; what comes out does not depend on the order in which they came.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../schemas/environment.ts';

type Recorded = EventData['SummaryRecorded'];

export type Fact = Recorded['facts'][number];
export type Exemplar = Recorded['exemplars'][number];

/** A rollout that counts, as its event tells of it. */
export interface Seen {
  readonly id: string;
  readonly data: EventData['RolloutRecorded'];
  /** One of the descriptor's groups. */
  readonly group: string;
  /** How it failed; null where it did not. */
  readonly failureClass: string | null;
}

export interface Sums {
  readonly facts: readonly Fact[];
  /** In order; what they look like is for their environment to say. */
  readonly exemplars: readonly Exemplar[];
}

/** Adds up for one module. */
export interface Summariser {
  readonly module: string;
  add(seen: Seen): void;
  sums(): Sums;
}

/** In the order of the descriptor, those that were met. */
export function metGroups({ groups }: Descriptor, met: ReadonlySet<string>): string[] {
  return groups.map(({ group }) => group).filter((group) => met.has(group));
}

/** As many digits as a reader makes use of; equal sums give equal figures, in whatever order they were added. */
export function figure(value: number): number {
  return Number(value.toPrecision(6));
}

/** A map whose values are made when they are first asked for. */
export function entry<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
