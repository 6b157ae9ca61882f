// What the evidence of a stage adds up to for one module of a context. Rollouts go by one after the other and are not
// kept; what comes out does not depend on the order in which they came.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import { escapeControls } from '../../base/escape.ts';
import { getOrCreate } from '../../base/get-or-create.ts';
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
  /** What it is for: the heading of its section, and its line in lists. */
  readonly meaning: string;
  /** Training rollouts tell of tasks, those of the shown part of the probe pool of the policy. */
  readonly split: ShownSplit;
  /** `exemplars`: how many rollouts are shown. */
  summariser(descriptor: Descriptor, exemplars: number): Summariser;
  /** How it reads, from what was recorded of it. */
  sheet(descriptor: Descriptor, summary: Recorded): Sheet;
}

/** Adds up for one module. */
export interface Summariser {
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

// What a figure is cited by: letters for the module, the family, the measure. An evidence id has no spaces and nothing that steers,
// and no two are alike.

/** A name as part of an evidence id: what may not stand in one is written as in an address, `easy%20sums`. */
export function evidenceIdPart(name: string): string {
  return escapeControls(name).replace(/[\s%]/g, (character) => encodeURIComponent(character));
}

/** `B8.valid`; over all families `B.valid`. */
export function evidenceIdOf(prefix: string, family: string | null, ...parts: readonly string[]): string {
  return [`${prefix}${family === null ? '' : evidenceIdPart(family)}`, ...parts.map(evidenceIdPart)].join('.');
}

/** Where names have dots in them, two may come to the same evidence id: the later one is told apart by a number. */
export function distinct<WithEvidenceId extends { readonly evidenceId: string }>(
  all: readonly WithEvidenceId[],
): WithEvidenceId[] {
  const taken = new Set<string>();
  return all.map((one) => {
    let evidenceId = one.evidenceId;
    for (let i = 2; taken.has(evidenceId); i++) evidenceId = `${one.evidenceId}~${i}`;
    taken.add(evidenceId);
    return evidenceId === one.evidenceId ? one : { ...one, evidenceId };
  });
}

// Means of whatever is measured by name. Of what is true or false, the mean is the share of those of which it is true.

interface Mean {
  sum: number;
  of: number;
  /** Whether it was true or false each time. */
  isShare: boolean;
}

export class Means {
  readonly #means = new Map<string, Mean>();

  add(name: string, value: unknown): void {
    if (typeof value !== 'number' && typeof value !== 'boolean') return;
    const mean = getOrCreate(this.#means, name, () => ({ sum: 0, of: 0, isShare: true }));
    mean.sum += Number(value);
    mean.of += 1;
    mean.isShare &&= typeof value === 'boolean';
  }

  /** By name. `of` says how many it was measured of. */
  facts(prefix: string, family: string): Fact[] {
    return [...this.#means]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([measure, { sum, of, isShare }]) => ({
        evidenceId: evidenceIdOf(prefix, family, measure),
        family,
        measure,
        value: figure(sum / of),
        ...(isShare ? { count: sum } : {}),
        of,
      }));
  }
}
