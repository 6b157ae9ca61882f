// The JSON within a text: every object and every list that stands in it, in the order of the text. Brackets that belong
// to prose are passed over.
import { parseJson } from '../../../schemas/json-text.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** So many characters are looked at: a text of nothing but brackets is read no further. */
const most = 4_000_000;

export function jsonIn(text: string): Json[] {
  const values: Json[] = [];
  let left = most;
  for (let at = nextBracket(text, 0); at < text.length && left > 0; ) {
    const end = endOf(text, at, left);
    left -= (end ?? text.length) - at;
    const value = end === null ? undefined : parsed(text.slice(at, end));
    if (value !== undefined) values.push(value);
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

function parsed(text: string): Json | undefined {
  try {
    return parseJson(text) as Json;
  } catch {
    return undefined;
  }
}
