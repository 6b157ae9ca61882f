// Reads what an endpoint answered: the text, the thoughts apart from it, why it stopped, and what it counted. Endpoints
// that all speak one protocol put these in many places.

import { isObject, jsonOrUndefined } from '../../../schemas/json-text.ts';
import type { Usage } from './conversation.ts';
import { NoAnswer, type Place } from './faults.ts';

export interface Completion {
  /** Null where there is no text: a refusal without words, an answer that was held back, calls of tools. */
  readonly answer: string | null;
  readonly reasoning?: string;
  readonly finishReason: string;
  readonly usage?: Usage;
  /** What the endpoint says the model was. */
  readonly reported?: string;
}

/** Throws NoAnswer where there is none, not even a refusal. */
export function completionIn(body: object, place: Place): Completion {
  const { choices, usage, model } = fieldsOf(body);
  if (!Array.isArray(choices)) throw new NoAnswer(place, 'no list of choices');
  if (choices.length === 0) throw new NoAnswer(place, 'an empty list of choices');
  const choice = fieldsOf(choices[0]);
  const message = fieldsOf(choice['message']);
  const content = contentOf(message['content']);
  const refusal = textIn(message['refusal']);
  const spoken = withoutThoughts(content.text ?? '');
  // Who changes from one name of the field to the other says the same under both for a while.
  const aside = textIn(message['reasoning_content']) ?? textIn(message['reasoning']) ?? '';
  const reasoning = joined([aside, content.thoughts, spoken.reasoning]).toWellFormed();
  const calls = message['tool_calls'] ?? message['function_call'];
  const isSilent = spoken.text.trim() === '';
  const finishReason = finishReasonOf(choice['finish_reason'], refusal, isSilent && isThere(calls));
  // What was cut before the first word, or held back, may come without any message.
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
  const told = nameIn(reason)?.toLowerCase() ?? 'unknown';
  if (truncations.includes(told)) return 'length';
  return filters.includes(told) ? 'content_filter' : told;
}

function isThere(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null;
}

/** What may be a name in an event: without control characters. */
function nameIn(value: unknown): string | undefined {
  const text = textIn(value)?.toWellFormed();
  const name = text?.replace(/\p{Cc}/gu, '').slice(0, 200);
  return name === '' ? undefined : name;
}

export type Fields = Readonly<Record<string, unknown>>;

/** The members of an object; none of anything else. */
export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

/** A text that says something; undefined for anything else. */
export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

// The content of a message: a text, or a list of parts, some of which are thoughts.

interface Content {
  /** Null where there is none at all. */
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

/** A text, or again a list of parts, of which only the texts are taken: thoughts within thoughts could go on without end. */
function thoughtIn(thinking: unknown): string {
  const text = textIn(thinking);
  if (text !== undefined || !Array.isArray(thinking)) return text ?? '';
  return textOf(thinking.map(fieldsOf)) ?? '';
}

// Parts what a model thinks aloud within its answer from the answer: everything between <think> and </think>.

const tags = /<(\/?)(?:think|thinking|thought)>/g;

/** The answer of a model without its thoughts, and the thoughts. */
export interface SpokenText {
  readonly text: string;
  readonly reasoning: string;
}

/**
 * Thoughts that never end go on to the end of the text: it was cut. An end without a beginning ends thoughts that began
 * with the text: some prompts open them on the model's behalf.
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

/** Thoughts in the order they came, without empty ones. */
function joined(thoughts: readonly string[]): string {
  return thoughts
    .map((thought) => thought.trim())
    .filter((thought) => thought !== '')
    .join('\n\n');
}

// Tokens as endpoints count them, each in its own way, brought to one: thoughts are part of the output, what was read
// before is part of the input.

/** What cannot be a count is taken for absent; undefined where there is none at all. */
export function usageIn(reported: unknown): Usage | undefined {
  const usage = fieldsOf(reported);
  const read = fieldsOf(usage['prompt_tokens_details'] ?? usage['input_tokens_details']);
  const said = fieldsOf(usage['completion_tokens_details'] ?? usage['output_tokens_details']);
  const input = count(usage['prompt_tokens'], usage['input_tokens']);
  const visible = count(usage['completion_tokens'], usage['output_tokens']);
  const total = count(usage['total_tokens']);
  // Some do not count thoughts as output, but nobody leaves them out of the total.
  const hidden = input === undefined || total === undefined ? 0 : Math.max(0, total - input - (visible ?? 0));
  const output = visible === undefined && hidden === 0 ? undefined : (visible ?? 0) + hidden;
  const thoughts = count(said['reasoning_tokens'], usage['reasoning_tokens']) ?? (hidden > 0 ? hidden : undefined);
  const reasoning = notAbove(thoughts, output);
  const cached = notAbove(
    count(read['cached_tokens'], usage['prompt_cache_hit_tokens'], usage['cached_tokens']),
    input,
  );
  const told = Object.entries({ input, output, reasoning, cached }).filter(([, tokens]) => tokens !== undefined);
  return told.length === 0 ? undefined : Object.fromEntries(told);
}

/** The first that is a count. */
function count(...values: readonly unknown[]): number | undefined {
  return values.find((value): value is number => Number.isSafeInteger(value) && (value as number) >= 0);
}

/** A part that is larger than the whole is no count of it. */
function notAbove(part: number | undefined, whole: number | undefined): number | undefined {
  return part === undefined || whole === undefined || part > whole ? undefined : part;
}

// The JSON within a text: every object and every list that stands in it, in the order of the text. Brackets that belong
// to prose are passed over.

/** A value of JSON. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** So many characters are looked at: a text of nothing but brackets is read no further. */
const most = 4_000_000;

/** Every object and every list of JSON in a text, in the order of the text. */
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

/** Behind the bracket that closes the one at the beginning; null where none does within so many characters. */
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
