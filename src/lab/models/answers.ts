// Parses an endpoint's response: the text, the separate reasoning, the finish reason and the usage. Endpoints of the
// same protocol put these in many different places.

import { isObject, jsonOrUndefined } from '../../../schemas/json-text.ts';
import type { Usage } from './conversation.ts';
import { NoAnswer, type Place } from './faults.ts';

export interface Completion {
  /** Null if there is no text: a refusal without words, a filtered answer, or tool calls. */
  readonly answer: string | null;
  readonly reasoning?: string;
  readonly finishReason: string;
  readonly usage?: Usage;
  /** The model name that the endpoint reports. */
  readonly reported?: string;
}

/** Throws NoAnswer if there is no answer, not even a refusal. */
export function completionIn(body: object, place: Place): Completion {
  const { choices, usage, model } = fieldsOf(body);
  if (!Array.isArray(choices)) throw new NoAnswer(place, 'no list of choices');
  if (choices.length === 0) throw new NoAnswer(place, 'an empty list of choices');
  const choice = fieldsOf(choices[0]);
  const message = fieldsOf(choice['message']);
  const content = contentOf(message['content']);
  const refusal = textIn(message['refusal']);
  const spoken = withoutThoughts(content.text ?? '');
  // An endpoint that is renaming the field sends both names for a while.
  const aside = textIn(message['reasoning_content']) ?? textIn(message['reasoning']) ?? '';
  const reasoning = joined([aside, content.thoughts, spoken.reasoning]).toWellFormed();
  const calls = message['tool_calls'] ?? message['function_call'];
  const isSilent = spoken.text.trim() === '';
  const finishReason = finishReasonOf(choice['finish_reason'], refusal, isSilent && isThere(calls));
  // An answer that was truncated before its first word or filtered may have no message.
  if (!isThere(choice['message']) && !['length', 'content_filter'].includes(finishReason)) {
    throw new NoAnswer(place, 'a choice without a message');
  }
  const isNull = isSilent && ['tool_calls', 'content_filter', 'refusal'].includes(finishReason);
  const answer = refusal ?? (isNull ? null : spoken.text);
  const counted = usageIn(usage);
  const reported = nameIn(model);
  return {
    answer: answer?.toWellFormed() ?? null,
    finishReason,
    ...(reasoning === '' ? {} : { reasoning }),
    ...(counted === undefined ? {} : { usage: counted }),
    ...(reported === undefined ? {} : { reported }),
  };
}

const truncations = ['length', 'max_tokens', 'max_output_tokens', 'model_length'];
const filters = ['content_filter', 'safety', 'prohibited_content', 'blocklist', 'recitation', 'spii'];

function finishReasonOf(reason: unknown, refusal: string | undefined, calledTools: boolean): string {
  if (refusal !== undefined) return 'refusal';
  if (calledTools) return 'tool_calls';
  const finishReason = nameIn(reason)?.toLowerCase() ?? 'unknown';
  if (truncations.includes(finishReason)) return 'length';
  return filters.includes(finishReason) ? 'content_filter' : finishReason;
}

function isThere(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null;
}

/** A name that an event can hold: without control characters. */
function nameIn(value: unknown): string | undefined {
  const text = textIn(value)?.toWellFormed();
  const name = text?.replace(/\p{Cc}/gu, '').slice(0, 200);
  return name === '' ? undefined : name;
}

export type Fields = Readonly<Record<string, unknown>>;

/** The members of an object; none for anything else. */
export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

/** A non-blank text; undefined for anything else. */
export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

// The content of a message: a text, or a list of parts, some of which are reasoning.

interface Content {
  /** Null if there is no text. */
  readonly text: string | null;
  readonly thoughts: string;
}

export function contentOf(content: unknown): Content {
  if (typeof content === 'string') return { text: content, thoughts: '' };
  if (!Array.isArray(content)) return { text: null, thoughts: '' };
  const parts = content.map(fieldsOf);
  const thoughts = parts.flatMap(({ type, thinking }) => (type === 'thinking' ? [thoughtIn(thinking)] : []));
  return { text: textOf(parts), thoughts: thoughts.join('') };
}

function textOf(parts: readonly Fields[]): string | null {
  const texts = parts.flatMap(({ type, text }) => (type === 'text' ? [textIn(text) ?? ''] : []));
  return texts.length === 0 ? null : texts.join('');
}

/** A text or a list of parts, of which only the texts count: nested reasoning could be unbounded. */
function thoughtIn(thinking: unknown): string {
  const text = textIn(thinking);
  if (text !== undefined || !Array.isArray(thinking)) return text ?? '';
  return textOf(thinking.map(fieldsOf)) ?? '';
}

// Separates a model's reasoning from its answer: everything between <think> and </think>.

const tags = /<(\/?)(?:think|thinking|thought)>/g;

/** An answer without its reasoning, and the reasoning. */
export interface SpokenText {
  readonly text: string;
  readonly reasoning: string;
}

/**
 * Unclosed reasoning extends to the end of the text, which was truncated. A closing tag without an opening one closes
 * reasoning from the start of the text, because some prompts contain the opening tag.
 */
export function withoutThoughts(whole: string): SpokenText {
  const thoughts: string[] = [];
  let text = '';
  let from = 0;
  let isThinking = false;
  for (const { 0: tag, 1: slash, index } of whole.matchAll(tags)) {
    const isEnd = slash === '/';
    if (isThinking && !isEnd) continue;
    const passage = whole.slice(from, index);
    if (isThinking) thoughts.push(passage);
    else if (isEnd) {
      thoughts.push(text + passage);
      text = '';
    } else text += passage;
    isThinking = !isEnd;
    from = index + tag.length;
  }
  const rest = whole.slice(from);
  if (isThinking) thoughts.push(rest);
  else text += rest;
  return { text: from === 0 ? whole : text.trim(), reasoning: joined(thoughts) };
}

/** All reasoning in order, without empty parts. */
function joined(thoughts: readonly string[]): string {
  return thoughts
    .map((thought) => thought.trim())
    .filter((thought) => thought !== '')
    .join('\n\n');
}

// Normalises token counts of different endpoints: reasoning is part of the output, cached tokens are part of the input.

/** Invalid counts are treated as missing; undefined if there are no counts. */
export function usageIn(reported: unknown): Usage | undefined {
  const usage = fieldsOf(reported);
  const read = fieldsOf(usage['prompt_tokens_details'] ?? usage['input_tokens_details']);
  const said = fieldsOf(usage['completion_tokens_details'] ?? usage['output_tokens_details']);
  const input = count(usage['prompt_tokens'], usage['input_tokens']);
  const visible = count(usage['completion_tokens'], usage['output_tokens']);
  const total = count(usage['total_tokens']);
  // Some endpoints do not count reasoning as output, but all of them include it in the total.
  const hidden = input === undefined || total === undefined ? 0 : Math.max(0, total - input - (visible ?? 0));
  const output = visible === undefined && hidden === 0 ? undefined : (visible ?? 0) + hidden;
  const thoughts = count(said['reasoning_tokens'], usage['reasoning_tokens']) ?? (hidden > 0 ? hidden : undefined);
  const reasoning = notAbove(thoughts, output);
  const cached = notAbove(
    count(read['cached_tokens'], usage['prompt_cache_hit_tokens'], usage['cached_tokens']),
    input,
  );
  const counts = Object.entries({ input, output, reasoning, cached }).filter(([, tokens]) => tokens !== undefined);
  return counts.length === 0 ? undefined : Object.fromEntries(counts);
}

/** Above any tokenizer, and any template or tool that an endpoint adds to a prompt. */
const mostInputPerByte = 100;

/** The counts that the request allows: with at most `output` tokens, and of a size. Others are treated as missing. */
export function possible(usage: Usage, sent: { readonly bytes: number; readonly output: number }): Usage | undefined {
  const { input = 0, output = 0 } = usage;
  const impossible = [
    ...(input > mostInputPerByte * sent.bytes ? ['input', 'cached'] : []),
    ...(output > sent.output ? ['output', 'reasoning'] : []),
  ];
  const counts = Object.entries(usage).filter(([kind]) => !impossible.includes(kind));
  return counts.length === 0 ? undefined : Object.fromEntries(counts);
}

/** The first valid count. */
function count(...values: readonly unknown[]): number | undefined {
  return values.find((value): value is number => Number.isSafeInteger(value) && (value as number) >= 0);
}

/** A part that exceeds the whole is not a valid count. */
function notAbove(part: number | undefined, whole: number | undefined): number | undefined {
  return part === undefined || whole === undefined || part > whole ? undefined : part;
}

// Finds JSON in a text: every object and list, in order. Brackets that belong to prose are skipped.

/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** The scan stops after this number of characters, which bounds the work for a text of brackets. */
const most = 4_000_000;

/** Every JSON object and list in a text, in order. */
export function jsonIn(text: string): Json[] {
  const values: Json[] = [];
  let left = most;
  for (let at = nextBracket(text, 0); at < text.length && left > 0; ) {
    const end = endOf(text, at, left);
    left -= (end ?? text.length) - at;
    const value = end === null ? undefined : jsonOrUndefined(text.slice(at, end));
    if (value !== undefined) values.push(value as Json);
    at = nextBracket(text, value === undefined || end === null ? at + 1 : end);
  }
  return values;
}

function nextBracket(text: string, from: number): number {
  for (let at = from; at < text.length; at++) if (text[at] === '{' || text[at] === '[') return at;
  return text.length;
}

/** The index after the closing bracket; null if there is none within the given distance. */
function endOf(text: string, from: number, reach: number): number | null {
  let depth = 0;
  let isQuoted = false;
  const to = Math.min(text.length, from + reach);
  for (let at = from; at < to; at++) {
    const character = text[at];
    if (isQuoted && character === '\\') at += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (character === '{' || character === '[') depth += 1;
    else if ((character === '}' || character === ']') && --depth === 0) return at + 1;
  }
  return null;
}
