// Reasons as they are typed: `--because 'KNOB: TEXT'`, and the evidence ids they cite, `--cite LABEL` for all of them or
// `--cite KNOB=LABEL` for one.
import type { Descriptor } from '../../../../schemas/environment.ts';
import { IcecoreError } from '../../../../schemas/errors.ts';
import { evidenceId as evidenceIdSchema } from '../../../../schemas/primitives.ts';
import type { Reason } from '../../../lab/engineers/engineer.ts';
import { UnknownKnob } from '../../../lab/environments/knobs.ts';
import { shellWord } from '../../../ledger/shell-word.ts';

export interface Typed {
  readonly cites?: readonly string[];
  readonly cite?: readonly string[];
}

/** Throws UnknownKnob. */
export function reasonsTyped({ cites = [], cite = [] }: Typed, descriptor: Descriptor): Reason[] {
  const { environment } = descriptor;
  const knobs = descriptor.knobs.map(({ name }) => name);
  const says = new Map<string, string[]>();
  for (const text of cites) {
    const { knob, why } = reasonIn(text, knobs, environment);
    says.set(knob, [...(says.get(knob) ?? []), why]);
  }
  const cited = cite.map((text) => citationIn(text, knobs));
  const common = cited.find(({ knob }) => knob === null);
  if (common !== undefined && says.size === 0) throw nothingCites(common.evidenceId);
  const ofKnobs = cited.flatMap(({ knob }) => knob ?? []);
  return [...new Set([...says.keys(), ...ofKnobs])].map((knob) => {
    const evidenceIds = cited.filter((one) => one.knob === knob || (one.knob === null && says.has(knob)));
    const names = [...new Set(evidenceIds.map(({ evidenceId }) => evidenceId))];
    return { knob, cites: names.length === 0 ? null : names, says: says.get(knob)?.join('; ') ?? null };
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
  throw new IcecoreError('usage', `--cite: found "${text}", allowed: LABEL or KNOB=LABEL`, {
    facts: { field: '--cite', found: text },
    remedy: 'Labels stand in the context, for example F3 or B8.valid.',
  });
}

function notAReason(text: string): IcecoreError {
  return new IcecoreError('usage', `--because: found "${text}", allowed: KNOB: TEXT`, {
    facts: { field: '--because', found: text },
    remedy: "For example --because '8.hole: too many falls'.",
  });
}

function nothingCites(evidenceId: string): IcecoreError {
  return new IcecoreError('usage', `--cite ${evidenceId}: there is no reason that it could belong to`, {
    facts: { field: '--cite', found: evidenceId },
    remedy: `Give one with --because, or name the knob: --cite ${shellWord(`KNOB=${evidenceId}`)}`,
  });
}
