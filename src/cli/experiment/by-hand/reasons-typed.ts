// Reasons as they are typed: `--because 'KNOB: TEXT'`, and the labels they cite, `--cite LABEL` for all of them or
// `--cite KNOB=LABEL` for one.
import type { Descriptor } from '../../../../schemas/environment.ts';
import { IcecoreError } from '../../../../schemas/errors.ts';
import { label as labelSchema } from '../../../../schemas/primitives.ts';
import type { Reason } from '../../../lab/engineers/engineer.ts';
import { UnknownKnob } from '../../../lab/environments/knobs.ts';
import { shellWord } from '../../../ledger/shell-word.ts';

export interface Typed {
  readonly because?: readonly string[];
  readonly cite?: readonly string[];
}

/** Throws UnknownKnob. */
export function reasonsTyped({ because = [], cite = [] }: Typed, descriptor: Descriptor): Reason[] {
  const { environment } = descriptor;
  const knobs = descriptor.knobs.map(({ name }) => name);
  const says = new Map<string, string[]>();
  for (const text of because) {
    const { knob, why } = reasonIn(text, knobs, environment);
    says.set(knob, [...(says.get(knob) ?? []), why]);
  }
  const cited = cite.map((text) => citationIn(text, knobs));
  const common = cited.find(({ knob }) => knob === null);
  if (common !== undefined && says.size === 0) throw nothingCites(common.label);
  const ofKnobs = cited.flatMap(({ knob }) => knob ?? []);
  return [...new Set([...says.keys(), ...ofKnobs])].map((knob) => {
    const labels = cited.filter((one) => one.knob === knob || (one.knob === null && says.has(knob)));
    const names = [...new Set(labels.map(({ label }) => label))];
    return { knob, because: names.length === 0 ? null : names, says: says.get(knob)?.join('; ') ?? null };
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

function citationIn(text: string, knobs: readonly string[]): { knob: string | null; label: string } {
  const knob = knobs.find((one) => text.startsWith(`${one}=`)) ?? null;
  const label = knob === null ? text : text.slice(knob.length + 1);
  if (labelSchema.safeParse(label).success) return { knob, label };
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

function nothingCites(label: string): IcecoreError {
  return new IcecoreError('usage', `--cite ${label}: there is no reason that it could belong to`, {
    facts: { field: '--cite', found: label },
    remedy: `Give one with --because, or name the knob: --cite ${shellWord(`KNOB=${label}`)}`,
  });
}
