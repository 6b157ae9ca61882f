// From the bytes of a piece to the event in it, or to what is wrong with it.
import { isUtf8 } from 'node:buffer';
import { NotCanonical } from '../../../schemas/canonical.ts';
import { parseJson } from '../../../schemas/json-text.ts';
import { type BadPiece, badPiece, ForeignPiece, placeOf } from './faults.ts';
import { adviceOn } from './foreign.ts';
import { deepest, glanceAt } from './glance.ts';
import { type Defaults, type Incoming, incoming } from './incoming.ts';
import { findJsonFault } from './json-fault.ts';
import { keptOfTooLong, type Piece } from './piece.ts';
import { mayRepeatKeys, refuseRepeatedKeys } from './repeated-keys.ts';
import { refuseWideIntegers } from './wide-integers.ts';

/** Throws BadPiece. */
export function readPiece(piece: Piece, limit: number, defaults: Defaults): Incoming {
  if (piece.isTooLong) throw tooLong(piece, limit);
  if (isUtf16(piece.bytes)) throw utf16();
  if (!isUtf8(piece.bytes)) throw notUtf8(piece);
  const text = piece.bytes.toString('utf8');
  try {
    return incoming(parse(text, piece), defaults);
  } catch (error) {
    if (error instanceof NotCanonical) throw badPiece(error.field, error.found, 'what JSON can hold');
    throw error;
  }
}

function tooLong(piece: Piece, limit: number): BadPiece {
  if (piece.size <= limit) return badPiece('text', 'only a part of what was sent', 'all of it, and "whole": true');
  const remedy = 'Write one event a line; put what is so long first, icecore blob put FILE, and name the blob instead.';
  return badPiece('', `${piece.size} bytes`, `at most ${limit} bytes`, remedy);
}

function parse(text: string, piece: Piece): unknown {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    throw notJson(text, piece);
  }
  const { keys, hasWideNumber, isTooDeep } = glanceAt(value);
  if (isTooDeep) throw badPiece('', `nesting deeper than ${deepest} levels`, 'what JSON can hold');
  if (mayRepeatKeys(text, keys)) refuseRepeatedKeys(text, piece.line);
  if (hasWideNumber) refuseWideIntegers(text);
  return value;
}

function notJson(text: string, piece: Piece): BadPiece {
  const { line, column, found, allowed, isTruncated } = findJsonFault(text);
  const where = placeOf(piece.line, line, column);
  if (!isTruncated || piece.isEnded) return notEvents(piece, where, `${found}, which makes it no JSON`, allowed);
  const remedy = 'Get the rest of it; where it will never come, leave the piece out.';
  return badPiece(where, 'the end of the input in the middle of an event', allowed, remedy);
}

/** Beside every ASCII character a zero byte, which no JSON in UTF-8 begins with; or a byte order mark before them. */
function isUtf16(bytes: Buffer): boolean {
  const [first, second] = [bytes[0], bytes[1]];
  return first === 0 || second === 0 || (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

function utf16(): BadPiece {
  const remedy = 'In PowerShell, write the file with -Encoding utf8.';
  return new ForeignPiece([{ field: '', found: 'UTF-16', allowed: 'UTF-8' }], remedy);
}

function notUtf8(piece: Piece): BadPiece {
  const at = firstBadByte(piece.bytes);
  const byte = `0x${(piece.bytes[at] ?? 0).toString(16).padStart(2, '0')}`;
  return notEvents(piece, '', `bytes that are no text: ${byte} at byte ${at + 1}`, 'text in UTF-8');
}

/** Bad as it is; where it is the beginning of something else, that is said. */
function notEvents(piece: Piece, field: string, found: string, allowed: string): BadPiece {
  const advice = adviceOn(piece);
  return advice === null ? badPiece(field, found, allowed) : new ForeignPiece([{ field, found, allowed }], advice);
}

/** Decoding writes U+FFFD where bytes are no text; the first one that did not stand there itself is the place. */
function firstBadByte(bytes: Buffer): number {
  let at = 0;
  for (const character of bytes.toString('utf8')) {
    const length = Buffer.byteLength(character);
    if (character === '\ufffd' && !(bytes[at] === 0xef && bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd)) return at;
    at += length;
  }
  return at;
}

/** The text of a piece as it can be kept: whole where it is an event's line, its beginning where it is rubbish. */
export function textOf(piece: Piece): { text: string; isWhole: boolean } {
  const isWhole = !piece.isTooLong && isUtf8(piece.bytes);
  const bytes = isWhole ? piece.bytes : piece.bytes.subarray(0, keptOfTooLong);
  return { text: bytes.toString('utf8'), isWhole };
}
