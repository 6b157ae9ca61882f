// Checks whether a text is the canonical JSON of its value. JSON has many texts for one value, and a digest is only useful
// if the text is unique. One pass over the text decides nearly all cases without building values.
import { canonicalJson, deepestNesting } from './canonical.ts';
import { parseJson } from './json-text.ts';

/** Whether a text equals what `canonicalJson` makes of its value. */
export function isCanonicalText(text: string): boolean {
  try {
    if (!isCanonicalInOnePass(text)) return canonicalJson(parseJson(text)) === text;
    parseJson(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * For a text that JSON.parse accepts, or its beginning up to the end of a value. True only if the text is canonical; may be
 * false for canonical text that one pass cannot decide: names with escapes or non-ASCII letters, and the deepest nesting.
 */
export function isCanonicalInOnePass(text: string): boolean {
  // A lone surrogate would be encoded as another character.
  if (!text.isWellFormed()) return false;
  // No character takes more than three bytes. Walking over bytes takes half the time of walking over a string.
  if (encoded.length < 3 * text.length) encoded = new Uint8Array(6 * text.length);
  const bytes = encoded;
  const end = encoder.encodeInto(text, bytes).written;
  let depth = 0;
  let at = 0;
  while (at < end) {
    const byte = bytes[at] as number;
    if (byte === quote) {
      const start = at + 1;
      at = afterString(bytes, start, end);
      if (at < 0) return false;
      if (at === end || bytes[at] !== colon) continue;
      const before = names[depth] as number;
      if (!isPlainName(bytes, start, at - 1) || (before >= 0 && !isBefore(bytes, before, start))) return false;
      names[depth] = start;
      at++;
    } else if (byte === comma) at++;
    else if (isDigit(byte) || byte === minus) {
      at = afterNumber(bytes, at, end);
      if (at < 0) return false;
    } else if (byte === openBrace || byte === openBracket) {
      if (++depth > deepestNesting) return false;
      names[depth] = -1;
      at++;
    } else if (byte === closeBrace || byte === closeBracket) {
      if (--depth < 0) return false;
      at++;
    } else if (isLetter(byte)) at++;
    else return false;
  }
  return true;
}

const encoder = new TextEncoder();
/** The bytes of the current text; one text at a time. */
let encoded = new Uint8Array(16_384);
/** For each depth, where the last name in the object at that depth begins; -1: none. */
const names = new Int32Array(deepestNesting + 1);

const quote = 0x22;
const plus = 0x2b;
const comma = 0x2c;
const minus = 0x2d;
const dot = 0x2e;
const zero = 0x30;
const colon = 0x3a;
const upperE = 0x45;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const lowerE = 0x65;
const openBrace = 0x7b;
const closeBrace = 0x7d;

const isDigit = (byte: number): boolean => byte >= zero && byte <= 0x39;

/** The letters of true, false and null. */
const isLetter = (byte: number): boolean => byte >= 0x61 && byte <= 0x7a;

/** The position after a string; -1 if it has no end or an escape that JSON.stringify would not write. */
function afterString(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end) {
    const byte = bytes[at] as number;
    if (byte === quote) return at + 1;
    if (byte !== backslash) at++;
    else {
      at = afterEscape(bytes, at + 1, end);
      if (at < 0) return -1;
    }
  }
  return -1;
}

function afterEscape(bytes: Uint8Array, at: number, end: number): number {
  const letter = String.fromCharCode(bytes[at] as number);
  if (letter !== 'u') return '"\\bfnrt'.includes(letter) ? at + 1 : -1;
  if (at + 5 > end) return -1;
  return onlyAsNumber.test(String.fromCharCode(...bytes.subarray(at + 1, at + 5))) ? at + 5 : -1;
}

/** Control characters without an escape letter. */
const onlyAsNumber = /^00(?:0[0-7bef]|1[0-9a-f])$/;

/** Whether the name has only ASCII characters without escapes: these names sort like their bytes. */
function isPlainName(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte >= 0x80 || byte === backslash) return false;
  }
  return true;
}

/** Whether a plain name sorts before another. */
function isBefore(bytes: Uint8Array, one: number, other: number): boolean {
  let i = 0;
  while (bytes[one + i] === bytes[other + i] && bytes[one + i] !== quote) i++;
  const [mine, its] = [bytes[one + i] as number, bytes[other + i] as number];
  return its !== quote && (mine === quote || mine < its);
}

/** The position after a number; -1 if JSON.stringify would write it differently. */
function afterNumber(bytes: Uint8Array, start: number, end: number): number {
  let at = start + 1;
  while (at < end && isDigit(bytes[at] as number)) at++;
  if (at - start <= 15 && (at === end || !isInNumber(bytes[at] as number)))
    return bytes[start] === minus && bytes[start + 1] === zero ? -1 : at;
  const point = at;
  if (bytes[point] === dot) {
    at++;
    while (at < end && isDigit(bytes[at] as number)) at++;
    // A few digits that do not end with zero are written unchanged, unless the number is so small that it gets an exponent.
    const isShort = at - start <= 15 && bytes[at - 1] !== zero && bytes[at - 1] !== dot;
    const isLarge = at - point <= 7 || bytes[point + 1] !== zero;
    if (isShort && isLarge && (at === end || !isInNumber(bytes[at] as number))) return at;
  }
  while (at < end && isInNumber(bytes[at] as number)) at++;
  const number = String.fromCharCode(...bytes.subarray(start, Math.min(at, start + longestNumber)));
  return String(Number(number)) === number ? at : -1;
}

/** No number is written with more characters. */
const longestNumber = 32;

const isInNumber = (byte: number): boolean =>
  isDigit(byte) || byte === dot || byte === minus || byte === plus || byte === lowerE || byte === upperE;
