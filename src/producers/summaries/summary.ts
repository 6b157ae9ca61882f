// The summary of a stage's evidence for one context module. Rollouts are processed one by one without storing them; the
// result does not depend on their order.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import { escapeControls } from '../../base/escape.ts';
import { getOrCreate } from '../../base/get-or-create.ts';
import type { Sheet } from './sheet.ts';

export type Summary = EventData['SummaryRecorded'];
export type Fact = Summary['facts'][number];
export type Exemplar = Summary['exemplars'][number];
export type Alert = NonNullable<Summary['alerts']>[number];

/** A rollout that counts, as recorded. */
export interface Seen {
  readonly id: string;
  readonly data: EventData['RolloutRecorded'];
  /** One of the descriptor's families. */
  readonly family: string;
  /** Its failure class; null if it did not fail. */
  readonly failureClass: string | null;
  /** The record of its failure; null if there is none. */
  readonly failure: { readonly id: string; readonly data: EventData['FailureRecorded'] } | null;
}

export interface Sums {
  readonly facts: readonly Fact[];
  /** In order; the environment draws them. */
  readonly exemplars: readonly Exemplar[];
}

/** The parts of a summary that its sheet depends on. */
export type Recorded = Pick<Summary, 'module' | 'facts' | 'exemplars' | 'alerts' | 'parameters' | 'rollouts'>;

/** The splits that engineers may see. */
export type ShownSplit = 'train' | 'probe';

/** A context module based on rollouts. */
export interface EvidenceModule {
  /** Its purpose, used as the section heading and in lists. */
  readonly meaning: string;
  /** Training rollouts describe tasks, rollouts of the shown probes describe the policy. */
  readonly split: ShownSplit;
  /** `exemplars` is the number to show. */
  summariser(descriptor: Descriptor, exemplars: number): Summariser;
  /** Its text form, from the recorded summary. */
  sheet(descriptor: Descriptor, summary: Recorded): Sheet;
}

/** Computes the summary of one module. */
export interface Summariser {
  add(seen: Seen): void;
  sums(): Sums;
  /** The rollouts of the exemplars, in order; absent if the module shows none. */
  chosen?(): readonly Seen[];
}

/** It has no verdict because of a fault that is not the policy's, so it is no evidence of its abilities. */
export function isSpoilt({ data }: Pick<Seen, 'data'>): boolean {
  return data.error !== undefined;
}

/** Identifies the task. */
export function taskOf({ id, data: { task } }: Pick<Seen, 'id' | 'data'>): string {
  return task?.digest ?? task?.id ?? id;
}

/** The families that occurred, in the order of the descriptor. */
export function metFamilies({ families }: Descriptor, met: ReadonlySet<string>): string[] {
  return families.map(({ family }) => family).filter((family) => met.has(family));
}

/** Rounded to useful digits, so that sums in any order give the same figure. */
export function figure(value: number): number {
  return Number(value.toPrecision(6));
}

// Evidence ids: letters for the module, the family, the measure. An evidence id has no spaces or control characters and
// is unique.

/** A name as part of an evidence id: other characters are percent-encoded, `easy%20sums`. */
export function evidenceIdPart(name: string): string {
  return escapeControls(name).replace(/[\s%]/g, (character) => encodeURIComponent(character));
}

/** `B8.valid`; in total over families `B.valid`. */
export function evidenceIdOf(prefix: string, family: string | null, ...parts: readonly string[]): string {
  return [`${prefix}${family === null ? '' : evidenceIdPart(family)}`, ...parts.map(evidenceIdPart)].join('.');
}

/** Names with dots may give equal evidence ids: later ones get a number. */
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

// Means of named measurements. The mean of a boolean is the share of true values.

interface Mean {
  sum: number;
  of: number;
  /** Whether all values were booleans. */
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

  /** By name. `of` is the number of measured rollouts. */
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
