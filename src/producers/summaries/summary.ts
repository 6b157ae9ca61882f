// What the evidence of a stage adds up to for one module of a context. Rollouts go by one after the other and are not
// kept; what comes out does not depend on the order in which they came.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import type { Sheet } from './sheet.ts';

export type Summary = EventData['SummaryRecorded'];
export type Fact = Summary['facts'][number];
export type Exemplar = Summary['exemplars'][number];
export type Alert = NonNullable<Summary['alerts']>[number];

/** A rollout that counts, as its event tells of it. */
export interface Seen {
  readonly id: string;
  readonly data: EventData['RolloutRecorded'];
  /** One of the descriptor's families. */
  readonly family: string;
  /** How it failed; null where it did not. */
  readonly failureClass: string | null;
  /** What was recorded of its failure; null where there is nothing. */
  readonly failure: { readonly id: string; readonly data: EventData['FailureRecorded'] } | null;
}

export interface Sums {
  readonly facts: readonly Fact[];
  /** In order; what they look like is for their environment to say. */
  readonly exemplars: readonly Exemplar[];
}

/** A summary as far as its sheet is made from it. */
export type Recorded = Pick<Summary, 'module' | 'facts' | 'exemplars' | 'alerts' | 'parameters' | 'rollouts'>;

/** The splits that reach engineers. */
export type ShownSplit = 'train' | 'probe';

/** A module of contexts that rollouts are added up for. */
export interface EvidenceModule {
  /** Training rollouts tell of tasks, those of the shown part of the probe pool of the policy. */
  readonly split: ShownSplit;
  /** `exemplars`: how many rollouts are shown. */
  summariser(descriptor: Descriptor, exemplars: number): Summariser;
  /** How it reads, from what was recorded of it. */
  sheet(descriptor: Descriptor, summary: Recorded): Sheet;
}

/** Adds up for one module. */
export interface Summariser {
  readonly module: string;
  add(seen: Seen): void;
  sums(): Sums;
  /** The rollouts of the exemplars, in their order; absent where the module shows none. */
  chosen?(): readonly Seen[];
}

/** A fault that was not the policy's spoilt it: it is evidence neither of what it can do nor of what it can not. */
export function isSpoilt({ data }: Pick<Seen, 'data'>): boolean {
  return data.error !== undefined;
}

/** Tries of one task are the same here. */
export function taskOf({ id, data: { task } }: Pick<Seen, 'id' | 'data'>): string {
  return task?.digest ?? task?.id ?? id;
}

/** In the order of the descriptor, those that were met. */
export function metFamilies({ families }: Descriptor, met: ReadonlySet<string>): string[] {
  return families.map(({ family }) => family).filter((family) => met.has(family));
}

/** As many digits as a reader makes use of; equal sums give equal figures, in whatever order they were added. */
export function figure(value: number): number {
  return Number(value.toPrecision(6));
}
