// What `icecore adopt` reads and prints: a person's decision, with its reasons as `--reason 'KNOB: TEXT'` and `--cite ID` or
// `--cite KNOB=ID`.
import type { Descriptor } from '../../../../schemas/environment.ts';
import { IcecoreError } from '../../../../schemas/errors.ts';
import { evidenceId as evidenceIdSchema } from '../../../../schemas/primitives.ts';
import { shellWord } from '../../../base/shell-word.ts';
import { UnknownKnob } from '../../../lab/environments/knobs.ts';
import type { ProgramOptions } from '../../../library/consent/programs.ts';
import { type Reasons, adopt as recordDecision } from '../../../library/experiment/adopt.ts';
import { jsonIn } from '../../../library/experiment/json-file.ts';
import type { RunReference } from '../../../library/reference.ts';
import type { Context } from '../../context.ts';
import { adoptedDocument } from './decision-view.ts';

interface AdoptOptions extends ProgramOptions {
  readonly reason?: readonly string[];
  readonly cite?: readonly string[];
  readonly run?: RunReference;
  readonly actor?: string;
}

export async function adopt(context: Context, file: string, options: AdoptOptions): Promise<number> {
  const { reason: _, cite: __, ...others } = options;
  const decision = jsonIn(file, context.io.cwd, 'FILE') as Readonly<Record<string, unknown>>;
  const result = await recordDecision(context.session, decision, {
    ...others,
    source: file,
    reasons: (descriptor) => reasonsIn(options, descriptor),
  });
  if (context.flags.json) await context.printJson(result);
  else {
    await context.print(adoptedDocument(result));
    await context.hint(`next: ${result.next}`);
  }
  return 0;
}

/** Throws UnknownKnob. */
function reasonsIn({ reason = [], cite = [] }: AdoptOptions, descriptor: Descriptor): Reasons {
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
  const named = [...new Set([...reasons.keys(), ...ofKnobs])].map((knob) => {
    const own = cited.filter((one) => one.knob === knob || (one.knob === null && reasons.has(knob)));
    const cites = [...new Set(own.map(({ evidenceId }) => evidenceId))];
    return [knob, { cites: cites.length === 0 ? null : cites, reason: reasons.get(knob)?.join('; ') ?? null }] as const;
  });
  return Object.fromEntries(named);
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
