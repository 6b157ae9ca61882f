// The JSON that is meant as the proposal in what an engineer wrote: alone, within fences, or with prose around it.
import { isObject } from '../environments/knobs.ts';
import { type Json, jsonIn } from '../models/spoken-json.ts';

export type Found = { readonly object: Readonly<Record<string, unknown>> } | { readonly instead: string };

/** Nobody needs more characters for a proposal and what is thought of it. */
const longest = 2 ** 20;

/** The last object with a configuration; where there is none the last object at all, of which more can be told. */
export function proposalIn(text: string): Found {
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
