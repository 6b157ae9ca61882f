// The result of a recomputation: how much was recomputed, the differences, and what could not be recomputed with the
// reason. Only counts are kept, because a ledger may have any number of rollouts.

import { canonicalJson } from '../../../schemas/canonical.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { isObject } from '../../../schemas/json-text.ts';
import { ProgramFault } from '../../lab/programs/program.ts';
import { placeOf } from '../../ledger/event.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import { type FaultKind, Findings, type FindingsState } from '../../ledger/verify/findings.ts';

interface Difference {
  /** `data.facts[3].value`; within a text, the line too. */
  readonly field: string;
  /** Undefined if it is missing. */
  readonly recorded: unknown;
  readonly computed: unknown;
}

/** In the order of the fields; an undefined member counts as missing. */
function* differences(recorded: unknown, computed: unknown, field: string): Generator<Difference> {
  if (recorded === computed) return;
  if (Array.isArray(recorded) && Array.isArray(computed)) {
    const length = Math.max(recorded.length, computed.length);
    for (let i = 0; i < length; i++) yield* differences(recorded[i], computed[i], `${field}[${i}]`);
  } else if (isObject(recorded) && isObject(computed)) {
    const keys = new Set([...Object.keys(recorded), ...Object.keys(computed)]);
    for (const key of keys) yield* differences(recorded[key], computed[key], `${field}.${key}`);
  } else if (typeof recorded === 'string' && typeof computed === 'string') {
    yield inText(recorded, computed, field);
  } else {
    yield { field, recorded, computed };
  }
}

/** The first different line of a text. */
function inText(recorded: string, computed: string, field: string): Difference {
  const [was, is] = [recorded.split('\n'), computed.split('\n')];
  if (was.length === 1 && is.length === 1) return { field, recorded, computed };
  const line = was.findIndex((one, i) => one !== is[i]);
  const at = line === -1 ? was.length : line;
  return { field: `${field}, line ${at + 1}`, recorded: was[at], computed: is[at] };
}

/** `data.outcome: recorded "valid", computed again "hole" (and 2 more)`; null if nothing differs. */
export function differenceWords(recorded: unknown, computed: unknown, field: string): string | null {
  const [first, ...others] = differences(recorded, computed, field);
  if (first === undefined) return null;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return `${first.field}: recorded ${words(first.recorded)}, computed again ${words(first.computed)}${more}`;
}

const longest = 80;

function words(value: unknown): string {
  if (value === undefined) return 'nothing';
  const characters = [...canonicalJson(value)];
  return characters.length <= longest ? characters.join('') : `${characters.slice(0, longest - 1).join('')}…`;
}

/** The maximum number of findings to show; further ones are only counted. */
const keptFindings = 1000;

const parts = [
  'rollouts',
  'trainings',
  'evaluations',
  'summaries',
  'contexts',
  'proposals',
  'answers',
  'decisions',
] as const;

export type Part = (typeof parts)[number];

export class Account {
  readonly findings = new Findings(keptFindings);
  unsupportedFigures = 0;
  readonly #again = new Map<Part, number>();
  readonly #skipped = new Map<
    string,
    { readonly where: string; readonly part: Part; readonly why: string; count: number }
  >();

  /** Figures recomputed from rollouts of these streams, which may be judged only later. */
  readonly #resting: { readonly event: StoredEvent; readonly part: Part; readonly streams: readonly string[] }[] = [];

  /** The numbers of recomputed items. */
  counts(): Readonly<Record<Part, number>> {
    const of = (part: Part): number => this.#again.get(part) ?? 0;
    return {
      rollouts: of('rollouts'),
      trainings: of('trainings'),
      evaluations: of('evaluations'),
      summaries: of('summaries'),
      contexts: of('contexts'),
      proposals: of('proposals'),
      answers: of('answers'),
      decisions: of('decisions'),
    };
  }

  /** The number of items that could not be recomputed. */
  get skipped(): number {
    return [...this.#skipped.values()].reduce((sum, { count }) => sum + count, 0);
  }

  /** Figures without recorded evidence. */
  unsupported(event: StoredEvent, says: string): void {
    this.unsupportedFigures += 1;
    this.findings.add({ kind: 'unsupported', where: placeOf(event), event: event.id, says: `${event.type} ${says}` });
  }

  /** A recomputed figure: it counts once all of its rollouts are judged again. */
  rests(event: StoredEvent, part: Part, streams: readonly string[]): void {
    this.#resting.push({ event, part, streams });
  }

  /** Called after all rollouts were judged. */
  settle(): void {
    for (const { event, part, streams } of this.#resting.splice(0)) {
      const unjudged = [...this.#skipped.values()].filter(
        (one) => one.part === 'rollouts' && streams.includes(one.where),
      );
      const [first] = unjudged;
      if (first === undefined) {
        this.again(part);
        continue;
      }
      const rollouts = unjudged.reduce((sum, { count }) => sum + count, 0);
      const which = rollouts === 1 ? 'a rollout that was' : `${rollouts} rollouts that were`;
      this.unsupported(event, `is based on ${which} not judged again: ${first.why}`);
    }
  }

  again(part: Part): void {
    this.#again.set(part, (this.#again.get(part) ?? 0) + 1);
  }

  /** Every difference is a fault. */
  hold(event: StoredEvent, kind: FaultKind, recorded: unknown, computed: unknown, field = 'data'): void {
    const says = differenceWords(recorded, computed, field);
    if (says !== null) this.fault(event, kind, says);
  }

  fault(event: StoredEvent, kind: FaultKind, says: string): void {
    this.findings.add({ kind, where: placeOf(event), event: event.id, says: `${event.type} ${says}` });
  }

  skip(event: StoredEvent, part: Part, why: string): void {
    const { stream } = event;
    const { run } = event.envelope;
    const where = part === 'rollouts' || run === null ? stream : `run-${run}`;
    const key = JSON.stringify([where, part, why]);
    const before = this.#skipped.get(key);
    if (before === undefined) this.#skipped.set(key, { where, part, why, count: 1 });
    else before.count += 1;
  }

  /** Nothing of a run could be recomputed. */
  skipRun(run: string, why: string): void {
    this.findings.add({ kind: 'not-recomputed', where: `run-${run}`, event: null, says: why });
  }

  /** A failing computation is a fault of the record, unless a program failed. */
  async attempt(event: StoredEvent, part: Part, kind: FaultKind, body: () => Promise<void> | void): Promise<void> {
    try {
      await body();
    } catch (fault) {
      if (fault instanceof ProgramFault) this.skip(event, part, fault.message);
      else if (fault instanceof Error && !isOfStore(fault)) {
        this.fault(event, kind, `cannot be computed again: ${fault.message}`);
      } else throw fault;
    }
  }

  conclude(): FindingsState {
    for (const { where, part, why, count } of this.#skipped.values()) {
      this.findings.add({ kind: 'not-recomputed', where, event: null, says: `${count} ${named(part, count)}: ${why}` });
    }
    return this.findings.toJSON();
  }
}

const singular: Readonly<Record<Part, string>> = {
  rollouts: 'rollout',
  trainings: 'training',
  evaluations: 'evaluation',
  summaries: 'summary',
  contexts: 'context',
  proposals: 'proposal',
  answers: 'answer',
  decisions: 'decision',
};

function named(part: Part, count: number): string {
  return count === 1 ? singular[part] : part;
}

/** The store is unavailable, or the verification was interrupted. */
function isOfStore(fault: Error): boolean {
  return (
    fault.name === 'AbortError' ||
    (fault instanceof IcecoreError && ['unavailable', 'interrupted'].includes(fault.kind))
  );
}
