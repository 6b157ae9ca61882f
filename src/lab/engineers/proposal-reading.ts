// What an engineer outside of icecore wrote, read as a proposal: its content, or what is wrong with it, field by field. No
// text whatever makes the reading throw.

import { z } from 'zod';
import { duplicateNames } from '../../../schemas/duplicate-names.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import { found, type Issue } from '../../../schemas/errors.ts';
import { isObject } from '../../../schemas/json-text.ts';
import { nearestNames, perhaps } from '../../../schemas/nearest.ts';
import type { JsonSchema } from '../../../schemas/phrase.ts';
import { details, name, share } from '../../../schemas/primitives.ts';
import { translate } from '../../../schemas/translate.ts';
import { checkConfiguration } from '../environments/configuration.ts';
import type { Configuration } from '../environments/environment.ts';
import { type Json, jsonIn } from '../models/answers.ts';
import { type Check, changedSettings, decisionOn } from './decision.ts';
import type { NoProposal, Proposal, Reason, Spent } from './engineer.ts';

/** What it is held against. */
export interface Standard {
  readonly descriptor: Descriptor;
  readonly current: Configuration;
  /** What may be cited. */
  readonly evidenceIds: ReadonlySet<string>;
  /** What must hold beyond the descriptor. */
  readonly check: Check;
}

export interface Usable {
  readonly content: Content;
  /** Evidence ids it cites that do not exist: none of them is evidence. */
  readonly invented: readonly Issue[];
  /** Values that will be moved to allowed ones. */
  readonly moved: readonly Issue[];
}

export type Unusable = Pick<NoProposal, 'reason' | 'issues'>;

export function readProposal(text: string, standard: Standard): Usable | Unusable {
  if (text.trim() === '') return { reason: 'empty', issues: [whole('nothing')] };
  const meant = proposalIn(text);
  if ('instead' in meant) return { reason: 'unreadable', issues: [whole(meant.instead)] };
  const misshapen = shapeIssues(meant.object);
  if (misshapen.length > 0) return { reason: 'invalid', issues: misshapen };
  return judged(contentOf(meant.object as WrittenProposal), standard);
}

/** What is wrong with all of it. */
export function whole(found: string): Issue {
  return { field: 'answer', found, allowed: 'a JSON object with the configuration and the reasons for it' };
}

function judged(content: Content, { descriptor, current, evidenceIds, check }: Standard): Usable | Unusable {
  const { configuration } = content;
  const moved = checkConfiguration(descriptor, configuration, current).map(within);
  const invented = inventedEvidenceIds(content, evidenceIds);
  const said = [...strangers(descriptor, content), ...wrongPredictions(descriptor, content)];
  let isImpossible = false;
  const made = decisionOn(descriptor, current, { ...content, reasons: [], kept: null }, (adjusted) => {
    const issues = check(adjusted);
    isImpossible = issues.length > 0;
    return issues;
  });
  if ('issues' in made && !isImpossible) return { reason: 'invalid', issues: [...moved, ...said, ...invented] };
  const wrong = [...changedSettings(descriptor, current, configuration).map(within), ...said];
  if (wrong.length > 0) return { reason: 'invalid', issues: [...wrong, ...moved, ...invented] };
  if ('issues' in made) return { reason: 'impossible', issues: [...made.issues.map(within), ...moved, ...invented] };
  return { content, invented, moved };
}

/** A field of the configuration as a field of the proposal. */
function within({ field, ...issue }: Issue): Issue {
  const dot = field === '' || field.startsWith('[') ? '' : '.';
  return { ...issue, field: `configuration${dot}${field}` };
}

/** Knobs that are none. */
function strangers({ knobs }: Descriptor, { reasons, kept }: Content): Issue[] {
  const known = new Set(knobs.map(({ name }) => name));
  const lists = { reasons, kept: kept ?? [] };
  return Object.entries(lists).flatMap(([list, all]) =>
    all.flatMap(({ knob }, i) => (known.has(knob) ? [] : [unknown(`${list}[${i}].knob`, knob, 'knob', known)])),
  );
}

function wrongPredictions({ families }: Descriptor, { predictions }: Content): Issue[] {
  const known = new Set(families.map(({ family }) => family));
  const all = predictions ?? [];
  return [
    ...all.flatMap(({ family }, i) =>
      known.has(family) ? [] : [unknown(`predictions[${i}].family`, family, 'family', known)],
    ),
    ...duplicateNames(
      all.map(({ family, measure }, i) => ({ name: `${measure} of ${family}`, field: `predictions[${i}]` })),
      'each family once',
    ),
  ];
}

function unknown(field: string, name: string, kind: string, known: ReadonlySet<string>): Issue {
  const near = nearestNames(name.slice(0, longestName), known);
  const which = near.length > 0 ? `, ${perhaps(near)}` : '';
  return { field, found: found(name), allowed: `a ${kind} of the environment${which}` };
}

/** Only so much of a name is compared with others. */
const longestName = 60;

// The shape of a proposal as engineers write it that are not part of icecore: models and programs. All but the
// configuration may be left out.

/** What nobody needs more of to say why; an event holds only so much. */
const most = { entries: 1000, evidenceIds: 50, reason: 4000, rationale: 20_000 } as const;

/** In bytes, as JSON: all of it can be recorded, whatever it is made of. */
const mostBytes = 250_000;

const reason = z.strictObject({
  knob: name,
  cites: z.array(z.string()).max(most.evidenceIds).nullable().optional(),
  reason: z.string().max(most.reason).nullable().optional(),
});

const prediction = z.strictObject({ family: name, measure: name.optional(), value: share });

const proposal = z.strictObject({
  configuration: details,
  reasons: z.array(reason).max(most.entries).nullable().optional(),
  kept: z.array(reason).max(most.entries).nullable().optional(),
  predictions: z.array(prediction).max(most.entries).nullable().optional(),
  rationale: z.string().max(most.rationale).nullable().optional(),
});

type WrittenProposal = z.infer<typeof proposal>;
type WrittenReason = z.infer<typeof reason>;

/** What is wrong with the shape of what was written; empty when it is a WrittenProposal. */
export function shapeIssues(written: unknown): Issue[] {
  const bytes = Buffer.byteLength(JSON.stringify(written) ?? '');
  if (bytes > mostBytes)
    return [{ field: 'answer', found: `a proposal of ${bytes} bytes`, allowed: `at most ${mostBytes} bytes` }];
  const findings = proposal.safeParse(written).error?.issues ?? [];
  if (findings.length === 0) return [];
  schema ??= z.toJSONSchema(proposal) as JsonSchema;
  return translate(findings, written, schema);
}

let schema: JsonSchema | undefined;

// The JSON that is meant as the proposal in what an engineer wrote: alone, within fences, or with prose around it.

type Found = { readonly object: Readonly<Record<string, unknown>> } | { readonly instead: string };

/** Nobody needs more characters for a proposal and what is thought of it. */
const longest = 2 ** 20;

/** The last object with a configuration; where there is none the last object at all, of which more can be told. */
function proposalIn(text: string): Found {
  if (text.length > longest) return { instead: `a text of more than ${longest} characters` };
  const objects = jsonIn(text).filter((one): one is { [key: string]: Json } => isObject(one));
  const meant = objects.findLast((one) => Object.hasOwn(one, 'configuration'));
  if (meant !== undefined) return { object: meant };
  // Of JSON that is broken as a whole, some parts may be sound: they are not what was meant.
  if (/"configuration"\s*:/.test(text)) return { instead: whyBroken(text) };
  const last = objects.at(-1);
  return last === undefined ? { instead: 'a text without a JSON object' } : { object: last };
}

function whyBroken(text: string): string {
  const hasNaN = /[:[,]\s*-?(?:NaN|Infinity)\b/.test(text);
  return hasNaN ? 'NaN or Infinity, which is no JSON' : 'JSON that is broken or breaks off';
}

// The evidence ids that a proposal cites: only those of the context that was shown can be cited. What else is named is
// no evidence and is not recorded as such, but it is said beside that it was named.

/** Of more than this the number is told. */
const mostTold = 20;

/** Longer ones are no evidence id of anything. */
const longestEvidenceId = 60;

/** Each that is none, with where it stands. */
function inventedEvidenceIds({ reasons, kept }: Content, evidenceIds: ReadonlySet<string>): Issue[] {
  const lists = { reasons, kept: kept ?? [] };
  const invented = Object.entries(lists).flatMap(([list, all]) =>
    all.flatMap(({ cites }, i) =>
      (cites ?? []).flatMap((evidenceId, j) =>
        evidenceIds.has(evidenceId) ? [] : [{ evidenceId, field: `${list}[${i}].cites[${j}]` }],
      ),
    ),
  );
  return invented.slice(0, mostTold).map(({ evidenceId, field }) => ({
    field,
    found: shown(evidenceId),
    allowed: allowedFor(evidenceId, evidenceIds),
  }));
}

function allowedFor(evidenceId: string, evidenceIds: ReadonlySet<string>): string {
  if (evidenceIds.size === 0) return 'no evidence id, as nothing was shown that has one';
  const near = evidenceId.length > longestEvidenceId ? [] : nearestNames(evidenceId, evidenceIds);
  return near.length > 0 ? `an evidence id of what was shown, ${perhaps(near)}` : 'an evidence id of what was shown';
}

/** The same with those evidence ids alone that can be cited; reasons that named others say so. */
export function withoutInvented(content: Content, evidenceIds: ReadonlySet<string>): Content {
  const mended = (reason: Reason): Reason => withoutUnknown(reason, evidenceIds);
  return { ...content, reasons: content.reasons.map(mended), kept: content.kept?.map(mended) ?? null };
}

function withoutUnknown(reason: Reason, evidenceIds: ReadonlySet<string>): Reason {
  if (reason.cites === null) return reason;
  const cited = [...new Set(reason.cites)];
  const unknown = cited.filter((evidenceId) => !evidenceIds.has(evidenceId));
  const more = unknown.length > mostTold ? ` and ${unknown.length - mostTold} more` : '';
  const told = `[names ${unknown.slice(0, mostTold).map(shown).join(', ')}${more}, of which nothing was shown]`;
  return {
    ...reason,
    cites: cited.filter((evidenceId) => evidenceIds.has(evidenceId)),
    reason: unknown.length === 0 ? reason.reason : reason.reason === null ? told : `${reason.reason} ${told}`,
  };
}

function shown(evidenceId: string): string {
  return JSON.stringify(
    evidenceId.length > longestEvidenceId ? `${evidenceId.slice(0, longestEvidenceId)}…` : evidenceId,
  );
}

// What a proposal says, without what was spent on it: as it was written, in the words of the port.

type Content = Omit<Proposal, keyof Spent> & { readonly configuration: Readonly<Record<string, unknown>> };

/** What is expected is the rate of success, unless it is said to be something else. */
const usualMeasure = 'valid';

function contentOf({ configuration, reasons, kept, predictions, rationale }: WrittenProposal): Content {
  return {
    configuration,
    reasons: (reasons ?? []).map(reasonOf),
    kept: kept?.map(reasonOf) ?? null,
    predictions: predictions?.map(({ family, measure = usualMeasure, value }) => ({ family, measure, value })) ?? null,
    rationale: said(rationale),
  };
}

function reasonOf({ knob, cites, reason }: WrittenReason): Reason {
  return { knob, cites: cites ?? null, reason: said(reason) };
}

/** Nothing but blanks says nothing; half a character, which no event can hold, is marked. */
function said(text: string | null | undefined): string | null {
  return text === undefined || text === null || text.trim() === '' ? null : text.toWellFormed();
}

// What is wrong with an answer, short enough to be recorded: whoever has thousands of faults learns nothing from the last
// of them, and an event can hold only so much.

/** Of more than this the number is told. */
export const mostIssues = 20;

/** So many characters of each part, which may quote what was written. */
const longestPart = 1000;

export function toldIssues(issues: readonly Issue[]): Issue[] {
  const more = issues.length - mostIssues;
  const told = issues
    .slice(0, mostIssues)
    .map(({ field, found, allowed }) => ({ field: short(field), found: short(found), allowed: short(allowed) }));
  if (more <= 0) return told;
  return [...told, { field: 'answer', found: `${more} more that ${more === 1 ? 'is' : 'are'} wrong`, allowed: 'none' }];
}

function short(text: string): string {
  return (text.length > longestPart ? `${text.slice(0, longestPart)}…` : text).toWellFormed();
}
