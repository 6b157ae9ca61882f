// Parses what an engineer wrote or gave: a proposal, or its issues field by field. Never throws, whatever it is.

import { z } from 'zod';
import { NotCanonical } from '../../../schemas/canonical.ts';
import type { JsonSchema } from '../../../schemas/describe-schema.ts';
import { duplicateNames } from '../../../schemas/duplicate-names.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import { found, type Issue } from '../../../schemas/errors.ts';
import { isObject } from '../../../schemas/json-text.ts';
import { nearestNames, suggestion } from '../../../schemas/nearest.ts';
import { details, name, share } from '../../../schemas/primitives.ts';
import { translate } from '../../../schemas/translate.ts';
import { checkConfiguration } from '../environments/configuration.ts';
import { type Configuration, digestOf } from '../environments/environment.ts';
import { type Json, jsonIn } from '../models/answers.ts';
import { type Check, changedSettings, decisionOn } from './decision.ts';
import type { Answer, NoProposal, Proposal, Reason, Spent } from './engineer.ts';

/** What a proposal is checked against. */
export interface Standard {
  readonly descriptor: Descriptor;
  readonly current: Configuration;
  /** The evidence ids that may be cited. */
  readonly evidenceIds: ReadonlySet<string>;
  /** The environment's own check, beyond the descriptor. */
  readonly check: Check;
  /** The configuration that is meant, if the engineer was shown rounded values. */
  readonly exact?: (configuration: Content['configuration']) => Content['configuration'];
}

export interface Usable {
  readonly content: Content;
  /** Cited evidence ids that do not exist. */
  readonly invented: readonly Issue[];
  /** Values that will be clamped. */
  readonly moved: readonly Issue[];
}

export type Unusable = Pick<NoProposal, 'reason' | 'issues'>;

export function readProposal(text: string, standard: Standard): Usable | Unusable {
  if (text.trim() === '') return { reason: 'empty', issues: [whole('nothing')] };
  const meant = proposalIn(text);
  if ('instead' in meant) return { reason: 'unreadable', issues: [whole(meant.instead)] };
  return readContent(meant.object, standard);
}

/** Of a proposal that is a value already. */
export function readContent(written: object, standard: Standard): Usable | Unusable {
  const misshapen = shapeIssues(written);
  if (misshapen.length > 0) return { reason: 'invalid', issues: misshapen };
  const content = contentOf(written as WrittenProposal);
  const { configuration } = content;
  return judged({ ...content, configuration: standard.exact?.(configuration) ?? configuration }, standard);
}

interface AnswerParts {
  readonly raw: NoProposal['raw'];
  readonly evidenceIds: ReadonlySet<string>;
  readonly spent?: Spent;
}

/** The answer of an engineer that is asked once. */
export function answerFrom(read: Usable | Unusable, { raw, evidenceIds, spent = {} }: AnswerParts): Answer {
  if ('reason' in read) return { rejected: { reason: read.reason, issues: [...read.issues], raw, ...spent } };
  return { proposal: { ...withoutInvented(read.content, evidenceIds), ...spent } };
}

/** An issue with the whole answer. */
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

/** Maps a field of the configuration to a field of the proposal. */
function within({ field, ...issue }: Issue): Issue {
  const dot = field === '' || field.startsWith('[') ? '' : '.';
  return { ...issue, field: `configuration${dot}${field}` };
}

/** Unknown knobs. */
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
  const which = near.length > 0 ? `, ${suggestion(near)}` : '';
  return { field, found: found(name), allowed: `a ${kind} of the environment${which}` };
}

/** Longer names are truncated before they are compared. */
const longestName = 60;

// The format of proposals by models and programs. Only the configuration is required.

/** Generous limits for explanations, because an event's size is limited. */
const most = { entries: 1000, evidenceIds: 50, reason: 4000, rationale: 20_000 } as const;

/** In bytes of JSON, so that any proposal can be recorded. */
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

/** Issues with the format; empty if it is a WrittenProposal. */
export function shapeIssues(written: unknown): Issue[] {
  const bytes = jsonBytes(written);
  if (bytes !== null && bytes > mostBytes)
    return [{ field: 'answer', found: `a proposal of ${bytes} bytes`, allowed: `at most ${mostBytes} bytes` }];
  const findings = proposal.safeParse(written).error?.issues ?? [];
  if (findings.length === 0) return bytes === null ? [notJson((written as WrittenProposal).configuration)] : [];
  schema ??= z.toJSONSchema(proposal) as JsonSchema;
  return translate(findings, written, schema);
}

/** Null for what JSON cannot hold, such as a BigInt or an object within itself. */
function jsonBytes(written: unknown): number | null {
  try {
    return Buffer.byteLength(JSON.stringify(written) ?? '');
  } catch {
    return null;
  }
}

/** The form of all other parts excludes what JSON cannot hold. */
function notJson(configuration: unknown): Issue {
  try {
    digestOf(configuration);
  } catch (error) {
    if (error instanceof NotCanonical)
      return within({ field: error.field, found: error.found, allowed: 'a JSON value' });
  }
  return { field: 'configuration', found: 'an object that cannot be written as JSON', allowed: 'a JSON value' };
}

let schema: JsonSchema | undefined;

// Finds the proposal's JSON in an answer: alone, in code fences or surrounded by prose.

type Found = { readonly object: Readonly<Record<string, unknown>> } | { readonly instead: string };

/** Generous for a proposal and the reasoning around it. */
const longest = 2 ** 20;

/** The last object with a configuration, otherwise the last object, which gives better error messages. */
function proposalIn(text: string): Found {
  if (text.length > longest) return { instead: `a text of more than ${longest} characters` };
  const objects = jsonIn(text).filter((one): one is { [key: string]: Json } => isObject(one));
  const meant = objects.findLast((one) => Object.hasOwn(one, 'configuration'));
  if (meant !== undefined) return { object: meant };
  // If the whole JSON is broken, valid fragments of it are not what the engineer meant.
  if (/"configuration"\s*:/.test(text)) return { instead: whyBroken(text) };
  const last = objects.at(-1);
  return last === undefined ? { instead: 'a text without a JSON object' } : { object: last };
}

function whyBroken(text: string): string {
  const hasNaN = /[:[,]\s*-?(?:NaN|Infinity)\b/.test(text);
  return hasNaN ? 'NaN or Infinity, which is not JSON' : 'JSON that is broken or incomplete';
}

// The evidence ids that a proposal cites. Only ids of the shown context count; unknown ids are not recorded as evidence
// but mentioned in the reason.

/** Further ones are only counted. */
const mostListed = 20;

/** No evidence id is longer. */
const longestEvidenceId = 60;

/** Unknown evidence ids with their fields. */
function inventedEvidenceIds({ reasons, kept }: Content, evidenceIds: ReadonlySet<string>): Issue[] {
  const lists = { reasons, kept: kept ?? [] };
  const invented = Object.entries(lists).flatMap(([list, all]) =>
    all.flatMap(({ cites }, i) =>
      (cites ?? []).flatMap((evidenceId, j) =>
        evidenceIds.has(evidenceId) ? [] : [{ evidenceId, field: `${list}[${i}].cites[${j}]` }],
      ),
    ),
  );
  return invented.slice(0, mostListed).map(({ evidenceId, field }) => ({
    field,
    found: quotedId(evidenceId),
    allowed: allowedFor(evidenceId, evidenceIds),
  }));
}

function allowedFor(evidenceId: string, evidenceIds: ReadonlySet<string>): string {
  if (evidenceIds.size === 0) return 'no evidence id, because the context has none';
  const near = evidenceId.length > longestEvidenceId ? [] : nearestNames(evidenceId, evidenceIds);
  return near.length > 0 ? `an evidence id of what was shown, ${suggestion(near)}` : 'an evidence id of what was shown';
}

/** The content without unknown evidence ids; reasons that cited some say so. */
export function withoutInvented(content: Content, evidenceIds: ReadonlySet<string>): Content {
  const mended = (reason: Reason): Reason => withoutUnknown(reason, evidenceIds);
  return { ...content, reasons: content.reasons.map(mended), kept: content.kept?.map(mended) ?? null };
}

function withoutUnknown(reason: Reason, evidenceIds: ReadonlySet<string>): Reason {
  if (reason.cites === null) return reason;
  const cited = [...new Set(reason.cites)];
  const unknown = cited.filter((evidenceId) => !evidenceIds.has(evidenceId));
  const more = unknown.length > mostListed ? ` and ${unknown.length - mostListed} more` : '';
  const remark = `[names ${unknown.slice(0, mostListed).map(quotedId).join(', ')}${more}, of which nothing was shown]`;
  return {
    ...reason,
    cites: cited.filter((evidenceId) => evidenceIds.has(evidenceId)),
    reason: unknown.length === 0 ? reason.reason : reason.reason === null ? remark : `${reason.reason} ${remark}`,
  };
}

function quotedId(evidenceId: string): string {
  return JSON.stringify(
    evidenceId.length > longestEvidenceId ? `${evidenceId.slice(0, longestEvidenceId)}…` : evidenceId,
  );
}

// The content of a proposal in the port's form, without its usage and cost.

type Content = Omit<Proposal, keyof Spent> & { readonly configuration: Readonly<Record<string, unknown>> };

/** Predictions are of the success rate unless they name another measure. */
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

/** Blank text counts as missing; lone surrogates, which events cannot hold, are replaced. */
function said(text: string | null | undefined): string | null {
  return text === undefined || text === null || text.trim() === '' ? null : text.toWellFormed();
}

// The issues of an answer, short enough to be recorded: thousands of issues do not help a reader, and an event's size
// is limited.

/** Further issues are only counted. */
export const mostIssues = 20;

/** The maximum number of characters of each part, because parts may quote the answer. */
const longestPart = 1000;

export function boundedIssues(issues: readonly Issue[]): Issue[] {
  const more = issues.length - mostIssues;
  const listed = issues
    .slice(0, mostIssues)
    .map(({ field, found, allowed }) => ({ field: short(field), found: short(found), allowed: short(allowed) }));
  if (more <= 0) return listed;
  return [
    ...listed,
    { field: 'answer', found: `${more} more that ${more === 1 ? 'is' : 'are'} wrong`, allowed: 'none' },
  ];
}

function short(text: string): string {
  return (text.length > longestPart ? `${text.slice(0, longestPart)}…` : text).toWellFormed();
}

/** In bytes of JSON, so that any rejection can be recorded. */
const mostRawBytes = 500_000;

/** No character takes more than six bytes of JSON. */
const longestRaw = 80_000;

/** A raw answer that is short enough to be recorded. */
export function boundedRaw(raw: NoProposal['raw']): NoProposal['raw'] {
  if (raw === null || !('text' in raw) || Buffer.byteLength(JSON.stringify(raw.text)) <= mostRawBytes) return raw;
  return { text: `${raw.text.slice(0, longestRaw).toWellFormed()}…` };
}
