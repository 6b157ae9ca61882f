// What `icecore context`, `icecore propose` and `icecore adopt` print: what an engineer is shown, what one would do, and a
// person's decision, with its reasons as `--reason 'KNOB: TEXT'` and `--cite ID` or `--cite KNOB=ID`.
import type { ContextResult, ProposeResult } from '../../../schemas/by-hand-output.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { evidenceId as evidenceIdSchema } from '../../../schemas/primitives.ts';
import { escapeControlsInLines } from '../../base/escape.ts';
import { counted } from '../../base/quantity.ts';
import { shellWord } from '../../base/shell-word.ts';
import { shortDigest } from '../../document/figures.ts';
import type { ProgramOptions } from '../../library/consent/programs.ts';
import { adoptedDocument, proposalDocument } from '../../library/documents.ts';
import { type Reasons, adopt as recordDecision } from '../../library/experiment/adopt.ts';
import { type ContextOptions, contextFor } from '../../library/experiment/context.ts';
import { jsonIn } from '../../library/experiment/json-file.ts';
import { propose as askEngineer, type ProposeOptions } from '../../library/experiment/propose.ts';
import type { RunReference } from '../../library/reference.ts';
import type { Context } from '../context.ts';

export async function context(at: Context, run: RunReference | undefined, options: ContextOptions): Promise<number> {
  const result = await contextFor(at.session, run, options);
  const { text } = result.text;
  if (at.flags.json) await at.printJson(result);
  // Programs get the exact bytes; a terminal must not be steered by them.
  else await at.print(at.io.stdout.isTTY ? escapeControlsInLines(text) : text);
  await at.say(lineOf(result));
  return 0;
}

/** `a@3, evidence through stage 2, combined: 2,345 of 6,000 tokens; nothing left out; this is the recorded context, digest 0a1b2c3d4e5f` */
function lineOf({ name, stage, recorded, ...data }: ContextResult): string {
  const { contextForm, tokens, budget, truncated, exemplars, digest } = data;
  const length =
    budget === 0 ? counted(tokens, 'token') : `${tokens.toLocaleString('en')} of ${counted(budget, 'token')}`;
  const dropped = truncated.map((one) => `${one.dropped} of ${one.kept + one.dropped} ${one.what} of ${one.module}`);
  const left = dropped.length === 0 ? 'nothing left out' : `left out for length: ${dropped.join(', ')}`;
  const fewer =
    exemplars === undefined || exemplars.shown === exemplars.of
      ? ''
      : `, ${counted(exemplars.shown, 'rollout')} where other forms of this length show ${exemplars.of}: a comparison with them is confounded`;
  const how = recorded === null ? 'built now, not recorded' : 'this is the recorded context';
  const what = contextForm.name ?? contextForm.modules.join('+');
  return `${name}@${stage}, evidence through stage ${stage - 1}, ${what}: ${length}; ${left}${fewer}; ${how}, digest ${shortDigest(digest)}`;
}

export async function propose(
  context: Context,
  run: RunReference | undefined,
  options: ProposeOptions,
): Promise<number> {
  const result = await askEngineer(context.session, run, options);
  if (context.flags.json) await context.printJson(result);
  else {
    await context.print(await proposalDocument(result));
    await sayNext(context, result);
  }
  return result.proposed === null ? 1 : 0;
}

async function sayNext({ hint }: Context, { name, stage, out, proposed, recorded }: ProposeResult): Promise<void> {
  if (out !== null) await hint(`adopt it, as it is or changed: icecore adopt ${shellWord(out)} --reason 'KNOB: WHY'`);
  else if (proposed !== null && recorded !== null) {
    await hint(`to a file that can be adopted: icecore propose ${shellWord(`${name}@${stage}`)} --output next.json`);
  }
}

interface AdoptOptions extends ProgramOptions {
  readonly reason?: readonly string[];
  readonly cite?: readonly string[];
  readonly run?: RunReference;
  readonly actor?: string;
}

export async function adopt(context: Context, file: string, options: AdoptOptions): Promise<number> {
  const { reason: _, cite: __, ...others } = options;
  const decision = (await jsonIn(file, context.session, 'FILE')) as Readonly<Record<string, unknown>>;
  const result = await recordDecision(context.session, decision, {
    ...others,
    source: file,
    reasons: (descriptor) => reasonsIn(options, descriptor),
  });
  if (context.flags.json) await context.printJson(result);
  else {
    await context.print(await adoptedDocument(result));
    await context.hint(`next: ${result.next}`);
  }
  return 0;
}

function reasonsIn({ reason = [], cite = [] }: AdoptOptions, descriptor: Descriptor): Reasons {
  const knobs = descriptor.knobs.map(({ name }) => name);
  const reasons = new Map<string, string[]>();
  for (const text of reason) {
    const { knob, why } = reasonIn(text, knobs);
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

/** The longest knob that the text begins with, since a name may have colons. Unknown knobs are refused later. */
function reasonIn(text: string, knobs: readonly string[]): { knob: string; why: string } {
  const trimmed = text.trimStart();
  const [before = '', ...rest] = trimmed.split(':');
  const [knob = before] = knobs.filter((one) => trimmed.startsWith(`${one}:`)).toSorted((a, b) => b.length - a.length);
  const why = trimmed.slice(knob.length + 1).trim();
  if (rest.length === 0 || why === '') throw notAReason(text);
  return { knob: knob.trim(), why };
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
