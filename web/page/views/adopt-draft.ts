// A decision that a person is writing: what it changes, why, and what is wrong with it. It survives a reload of its tab.
import type { DecisionSent, NextDecision } from '../../../schemas/next-output.ts';

export type NextKnob = NextDecision['knobs'][number];

export interface KnobDraft {
  /** As typed; null: as it is. */
  readonly value: string | null;
  readonly reason: string;
  /** Evidence ids, as typed. */
  readonly cites: string;
}

export interface Draft {
  readonly knobs: Readonly<Record<string, KnobDraft>>;
  readonly rationale: string;
  /** Evidence for every change that cites nothing itself, as typed. */
  readonly cites: string;
  /** The proposal that it started from. */
  readonly proposal: string | null;
}

export const emptyDraft: Draft = { knobs: {}, rationale: '', cites: '', proposal: null };
const unchanged: KnobDraft = { value: null, reason: '', cites: '' };

export function knobIn({ knobs }: Draft, knob: string): KnobDraft {
  return knobs[knob] ?? unchanged;
}

export function withKnob(draft: Draft, knob: string, changed: Partial<KnobDraft>): Draft {
  return { ...draft, knobs: { ...draft.knobs, [knob]: { ...knobIn(draft, knob), ...changed } } };
}

export function isEmpty(draft: Draft): boolean {
  return JSON.stringify(draft) === JSON.stringify(emptyDraft);
}

/** Evidence ids contain no spaces; commas between them are allowed. */
export function citesIn(text: string): readonly string[] {
  return [...new Set(text.split(/[\s,;]+/).filter((word) => word !== ''))];
}

export interface DraftChange {
  readonly knob: string;
  readonly from: number | null;
  readonly to: number;
  readonly steps: number | null;
  readonly reason: string;
  readonly cites: readonly string[];
}

export function changesIn(draft: Draft, knobs: readonly NextKnob[]): readonly DraftChange[] {
  return knobs.flatMap(({ knob, value: from, step }): DraftChange[] => {
    const { value, reason, cites } = knobIn(draft, knob);
    const to = value === null ? Number.NaN : numberIn(value);
    if (Number.isNaN(to) || to === from) return [];
    return [{ knob, from, to, steps: from === null ? null : (to - from) / step, reason, cites: citesIn(cites) }];
  });
}

function numberIn(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}

/** What is wrong with the typed value of a knob; null: nothing. */
export function faultOf({ min, max, integer }: NextKnob, { value }: KnobDraft): string | null {
  if (value === null) return null;
  const number = numberIn(value);
  if (!Number.isFinite(number)) return 'not a number';
  if (number < min || number > max) return `allowed: ${min} to ${max}`;
  if (integer && !Number.isInteger(number)) return 'allowed: whole numbers';
  return null;
}

function draftValue(draft: Draft, { knob, value }: NextKnob): number | null {
  const typed = knobIn(draft, knob).value;
  return typed === null ? value : numberIn(typed);
}

type Shares = NextDecision['shares'][number];

/** As the server checks sums. */
const slack = 1e-9;

export function sumOf(draft: Draft, knobs: readonly NextKnob[], { knobs: names }: Shares): number {
  const own = knobs.filter(({ knob }) => names.includes(knob));
  return own.reduce((sum, knob) => sum + (draftValue(draft, knob) ?? 0), 0);
}

export function isWhole(sum: number, { total }: Shares): boolean {
  return Math.abs(sum - total) <= slack;
}

/** The shares nobody typed are scaled so that the sum is right again; all of them, if the typed ones leave no room. */
export function scaled(draft: Draft, knobs: readonly NextKnob[], shares: Shares): Draft {
  const own = knobs.filter(({ knob }) => shares.knobs.includes(knob));
  const isTyped = ({ knob }: NextKnob): boolean => knobIn(draft, knob).value !== null;
  const sum = (some: readonly NextKnob[]): number =>
    some.reduce((all, knob) => all + (draftValue(draft, knob) ?? 0), 0);
  const [typed, others] = [own.filter(isTyped), own.filter((knob) => !isTyped(knob))];
  const room = shares.total - sum(typed);
  const [free, share] = room >= 0 && sum(others) > 0 ? [others, room / sum(others)] : [own, shares.total / sum(own)];
  if (!Number.isFinite(share)) return draft;
  return free.reduce((next, knob) => {
    const value = (draftValue(draft, knob) ?? 0) * share;
    return withKnob(next, knob.knob, { value: String(Number(value.toPrecision(12))) });
  }, draft);
}

/** The draft that a proposal amounts to. */
export function draftOf({ event, changes, rationale }: NextDecision['proposals'][number]): Draft {
  return {
    ...emptyDraft,
    proposal: event,
    rationale: rationale ?? '',
    knobs: Object.fromEntries(
      changes.map(({ knob, to, reason, cites }) => [
        knob,
        { value: String(to), reason: reason ?? '', cites: (cites ?? []).join(' ') },
      ]),
    ),
  };
}

/** All that is cited but cannot be. */
export function unknownCites(draft: Draft, knobs: readonly NextKnob[], known: ReadonlySet<string>): readonly string[] {
  const cited = [...citesIn(draft.cites), ...changesIn(draft, knobs).flatMap(({ cites }) => cites)];
  return [...new Set(cited)].filter((id) => !known.has(id));
}

interface Sending {
  readonly next: NextDecision;
  /** The digest of the context that is cited; null: none is recorded. */
  readonly context: string | null;
  readonly actor: string | null;
}

export function decisionOf(draft: Draft, { next, context, actor }: Sending): DecisionSent {
  const changes = changesIn(draft, next.knobs);
  const reasons = changes.flatMap(({ knob, reason, cites }) =>
    reason.trim() === '' && cites.length === 0
      ? []
      : [[knob, { reason: reason.trim() || null, cites: cites.length === 0 ? null : [...cites] }] as const],
  );
  const cites = citesIn(draft.cites);
  return {
    stage: next.stage,
    current: next.current,
    context,
    proposal: draft.proposal,
    changes: Object.fromEntries(changes.map(({ knob, to }) => [knob, to])),
    reasons: Object.fromEntries(reasons),
    rationale: draft.rationale.trim() || null,
    ...(cites.length === 0 ? {} : { cites: [...cites] }),
    ...(actor === null ? {} : { actor }),
  };
}

const keyOf = (run: string, stage: number): string => `icecore-draft-${run}@${stage}`;

export function keptDraft(run: string, stage: number): Draft {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(keyOf(run, stage)) ?? 'null');
    return kept === null ? emptyDraft : { ...emptyDraft, ...(kept as Partial<Draft>) };
  } catch {
    return emptyDraft;
  }
}

export function keepDraft(run: string, stage: number, draft: Draft): void {
  if (isEmpty(draft)) sessionStorage.removeItem(keyOf(run, stage));
  else sessionStorage.setItem(keyOf(run, stage), JSON.stringify(draft));
}
