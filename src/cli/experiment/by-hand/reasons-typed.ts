// Reasons as they are typed: `--reason 'KNOB: TEXT'`, and the evidence ids they cite, `--cite ID` for all of them or
// `--cite KNOB=ID` for one.
import type { Descriptor } from '../../../../schemas/environment.ts';
import { IcecoreError } from '../../../../schemas/errors.ts';
import { evidenceId as evidenceIdSchema } from '../../../../schemas/primitives.ts';
import type { Reason } from '../../../lab/engineers/engineer.ts';
import { UnknownKnob } from '../../../lab/environments/knobs.ts';
import { shellWord } from '../../../ledger/shell-word.ts';

export interface Typed {
  readonly reason?: readonly string[];
  readonly cite?: readonly string[];
}

/** Throws UnknownKnob. */
export function reasonsTyped({ reason = [], cite = [] }: Typed, descriptor: Descriptor): Reason[] {
  const { environment } = descriptor;
  const knobs = descriptor.knobs.map(({ name }) => name);
  const reasons = new Map<string, string[]>();
  for (const text of reason) {
    const { knob, why } = reasonIn(text, knobs, environment);
    reasons.set(knob, [...(reasons.get(knob) ?? []), why]);
  }
  const cited = cite.map((text) => citationIn(text, knobs));
  const common = cited.find(({ knob }) => knob === null);
  if (common !== undefined && reasons.size === 0) throw nothingCites(common.evidenceId);
  const ofKnobs = cited.flatMap(({ knob }) => knob ?? []);
  return [...new Set([...reasons.keys(), ...ofKnobs])].map((knob) => {
    const own = cited.filter((one) => one.knob === knob || (one.knob === null && reasons.has(knob)));
    const cites = [...new Set(own.map(({ evidenceId }) => evidenceId))];
    return { knob, cites: cites.length === 0 ? null : cites, reason: reasons.get(knob)?.join('; ') ?? null };
  });
}

/** The longest knob it begins with: a name may have colons of its own. */
function reasonIn(text: string, knobs: readonly string[], environment: string): { knob: string; why: string } {
  const knob = knobs
    .filter((one) => text.trimStart().startsWith(`${one}:`))
    .toSorted((a, b) => b.length - a.length)
    .at(0);
  if (knob === undefined) {
    const [before = '', ...rest] = text.split(':');
    if (rest.length > 0) throw new UnknownKnob(environment, before.trim(), knobs);
    throw notAReason(text);
  }
  const why = text
    .trimStart()
    .slice(knob.length + 1)
    .trim();
  if (why === '') throw notAReason(text);
  return { knob, why };
}

function citationIn(text: string, knobs: readonly string[]): { knob: string | null; evidenceId: string } {
  const knob = knobs.find((one) => text.startsWith(`${one}=`)) ?? null;
  const evidenceId = knob === null ? text : text.slice(knob.length + 1);
  if (evidenceIdSchema.safeParse(evidenceId).success) return { knob, evidenceId };
  throw new IcecoreError('usage', `--cite: found "${text}", allowed: ID or KNOB=ID`, {
    facts: { field: '--cite', found: text },
    remedy: 'An ID is an evidence id of the context, for example F3 or B8.valid.',
  });
}

function notAReason(text: string): IcecoreError {
  return new IcecoreError('usage', `--reason: found "${text}", allowed: KNOB: TEXT`, {
    facts: { field: '--reason', found: text },
    remedy: "For example --reason '8.hole: too many falls'.",
  });
}

function nothingCites(evidenceId: string): IcecoreError {
  return new IcecoreError('usage', `--cite ${evidenceId}: there is no reason that it could belong to`, {
    facts: { field: '--cite', found: evidenceId },
    remedy: `Give one with --reason, or name the knob: --cite ${shellWord(`KNOB=${evidenceId}`)}`,
  });
}
