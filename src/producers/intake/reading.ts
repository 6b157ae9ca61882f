// Parses a piece into an event, or reports what is wrong with it.
import { isUtf8 } from 'node:buffer';
import { canonicalJson, NotCanonical } from '../../../schemas/canonical.ts';
import { eventTypes } from '../../../schemas/catalogue.ts';
import type { EventTypes } from '../../../schemas/check.ts';
import {
  attributeOf,
  BadCloudEvent,
  type Fields,
  fromCloudEvent,
  isAttribute,
  isCloudEvent,
} from '../../../schemas/cloudevents.ts';
import type { Cause, NewEvent } from '../../../schemas/envelope.ts';
import { fieldOf, found, IcecoreError } from '../../../schemas/errors.ts';
import { parseJson } from '../../../schemas/json-text.ts';
import { nearest } from '../../../schemas/nearest.ts';
import { parseStream } from '../../../schemas/streams.ts';
import { sha256 } from '../../ledger/identity/ids.ts';
import { BadPiece, badPiece, ForeignPiece, placeOf } from './faults.ts';
import {
  deepest,
  findJsonFault,
  glanceAt,
  mayRepeatKeys,
  refuseRepeatedKeys,
  refuseWideIntegers,
} from './json-faults.ts';
import { adviceOn, type Piece } from './pieces.ts';
import { asItWas } from './refusals.ts';
import { type Incoming, takeOutTexts } from './texts.ts';
import type { Refused, Taken } from './windows.ts';

/** Throws BadPiece. */
export function readPiece(piece: Piece, limit: number, defaults: Defaults): Incoming {
  if (piece.isTooLong) throw tooLong(piece, limit);
  if (isUtf16(piece.bytes)) throw utf16();
  if (!isUtf8(piece.bytes)) throw notUtf8(piece);
  const text = piece.bytes.toString('utf8');
  try {
    return incoming(parse(text, piece), defaults);
  } catch (error) {
    if (error instanceof NotCanonical) throw badPiece(error.field, error.found, 'a JSON value');
    throw error;
  }
}

function tooLong(piece: Piece, limit: number): BadPiece {
  if (piece.size <= limit)
    return badPiece('text', 'only a part of the original text', 'the whole text, and "whole": true');
  const remedy =
    'Write one event per line; store long texts first with icecore blob put FILE, and name the blobs instead.';
  return badPiece('', `${piece.size} bytes`, `at most ${limit} bytes`, { remedy });
}

function parse(text: string, piece: Piece): unknown {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    throw notJson(text, piece);
  }
  const { keys, hasWideNumber, isTooDeep } = glanceAt(value);
  if (isTooDeep) throw badPiece('', `nesting deeper than ${deepest} levels`, 'what canonical JSON can hold');
  if (mayRepeatKeys(text, keys)) refuseRepeatedKeys(text, piece.line);
  if (hasWideNumber) refuseWideIntegers(text);
  return value;
}

function notJson(text: string, piece: Piece): BadPiece {
  const { line, column, found, allowed, isTruncated } = findJsonFault(text);
  const where = placeOf(piece.line, line, column);
  if (!isTruncated || piece.isEnded) return notEvents(piece, where, `${found} (invalid JSON)`, allowed);
  const remedy = 'Get the rest of it, or leave the piece out.';
  return badPiece(where, 'the end of the input in the middle of an event', allowed, { remedy });
}

/** Zero bytes next to ASCII characters, which JSON in UTF-8 never starts with; or a byte order mark. */
function isUtf16(bytes: Buffer): boolean {
  const [first, second] = [bytes[0], bytes[1]];
  return first === 0 || second === 0 || (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

function utf16(): BadPiece {
  const remedy = 'In PowerShell, write the file with -Encoding utf8.';
  return new ForeignPiece([{ field: '', found: 'UTF-16', allowed: 'UTF-8' }], { remedy });
}

function notUtf8(piece: Piece): BadPiece {
  const at = firstBadByte(piece.bytes);
  const byte = `0x${(piece.bytes[at] ?? 0).toString(16).padStart(2, '0')}`;
  return notEvents(piece, '', `bytes that are not text: ${byte} at byte ${at + 1}`, 'text in UTF-8');
}

/** A bad piece, with advice if it is the start of another format. */
function notEvents(piece: Piece, field: string, found: string, allowed: string): BadPiece {
  const advice = adviceOn(piece);
  return advice === null ? badPiece(field, found, allowed) : new ForeignPiece([{ field, found, allowed }], advice);
}

/** Decoding writes U+FFFD for invalid bytes; the first one that was not in the text itself is the place. */
function firstBadByte(bytes: Buffer): number {
  let at = 0;
  for (const character of bytes.toString('utf8')) {
    const length = Buffer.byteLength(character);
    if (character === '\ufffd' && !(bytes[at] === 0xef && bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd)) return at;
    at += length;
  }
  return at;
}

// Reads the pieces of a window: its events, and the pieces without one.

/** A window that was read and not yet written. */
export interface Read {
  readonly taken: readonly Taken[];
  readonly refused: Refused[];
  readonly bytes: number;
}

export interface ReadOptions {
  /** Larger pieces, in bytes, are refused without parsing. */
  readonly limit: number;
  readonly defaults: Defaults;
  /** Longer texts, in bytes, are taken out of their events. */
  readonly longestInline: number;
}

export function readWindow(window: readonly Piece[], { limit, defaults, longestInline }: ReadOptions): Read {
  const taken: Taken[] = [];
  const refused: Refused[] = [];
  let bytes = 0;
  for (const sent of window) {
    bytes += sent.size;
    const piece = asItWas(sent);
    try {
      const incoming = readPiece(piece, limit, defaults);
      taken.push({ piece, stream: incoming.stream, ...takeOutTexts(incoming, piece, longestInline) });
    } catch (fault) {
      if (!(fault instanceof IcecoreError)) throw fault;
      refused.push({ piece, fault });
    }
  }
  return { taken, refused, bytes };
}

// Converts a JSON value to an event: icecore's own envelope, or a CloudEvent. Fills in optional fields; the ledger
// checks the event against the catalogue.

export interface Defaults {
  /** The default stream. */
  readonly stream: string | null;
  /** All events must belong to that stream. */
  readonly isOnlyStream: boolean;
  /** The allowed types; icecore's own by default. */
  readonly types?: EventTypes | undefined;
  /** The time of events without one. */
  readonly now: () => string;
}

const known = new Set([
  'id',
  'stream',
  'type',
  'version',
  'at',
  'actor',
  'run',
  'stage',
  'causes',
  'data',
  // Fields of displayed events. The ledger assigns its own; these are compared, not used.
  'revision',
  'previous',
  'recordedAt',
  'digest',
  'cursor',
  // Marks displayed events of an unknown type.
  'known',
]);

/** Throws BadPiece. */
function incoming(value: unknown, defaults: Defaults): Incoming {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw noObject(value);
  const fields = isCloudEvent(value) ? cloudEventFields(value) : ownFields(value);
  const stream = streamOf(fields, defaults, isCloudEvent(value) ? attributeOf('stream') : 'stream');
  const event = eventOf(fields, stream, defaults);
  if (fields.digest !== undefined) requireAsRecorded(fields, stream, event);
  return { stream, event };
}

function noObject(value: unknown): BadPiece {
  return badPiece('', found(value), 'a JSON object: an event of icecore or a CloudEvent');
}

function cloudEventFields(value: object): Fields {
  try {
    const fields = fromCloudEvent(value as Record<string, unknown>);
    if ('causes' in value && typeof value.causes === 'string') {
      refuseRepeatedKeys(value.causes, 1, ['causes']);
    }
    return fields;
  } catch (error) {
    if (error instanceof BadCloudEvent) throw new BadPiece([error.issue]);
    throw error;
  }
}

function ownFields(value: object): Fields {
  for (const key in value) if (!known.has(key)) throw unknownKey(key);
  return value;
}

function unknownKey(key: string): BadPiece {
  return badPiece(fieldOf([key]), `the unknown field ${JSON.stringify(key)}`, allowedFor(key));
}

function allowedFor(key: string): string {
  if (isAttribute(key)) return 'the fields of an event of icecore; a CloudEvent also has "specversion": "1.0"';
  const near = nearest(key, known);
  return near === null ? `the fields ${[...known].slice(0, 10).join(', ')}` : `"${near}", perhaps`;
}

function streamOf(fields: Fields, { stream, isOnlyStream }: Defaults, name: string): string {
  const own = fields.stream ?? stream;
  if (typeof own !== 'string') {
    throw badPiece(name, found(own ?? undefined), 'the name of a stream', {
      remedy: 'Name it in every event, or one for all events without.',
      commandRemedy: '--stream sets a default.',
    });
  }
  if (isOnlyStream && own !== stream) throw badPiece(name, found(own), `${stream}, the only stream that is expected`);
  return own;
}

/** Fields of the wrong type pass through, because the ledger reports them. */
function eventOf(fields: Fields, stream: string, defaults: Defaults): NewEvent {
  const type = fields.type as string;
  return {
    id: (typeof fields.id === 'string' ? fields.id.toLowerCase() : fields.id) as string,
    type,
    version: (fields.version ?? currentVersion(type, defaults.types ?? eventTypes)) as number,
    at: (fields.at ?? defaults.now()) as string,
    actor: fields.actor as string,
    run: (fields.run === undefined ? runOf(stream) : fields.run) as string | null,
    stage: (fields.stage === undefined ? stageOf(stream) : fields.stage) as number | null,
    causes: (fields.causes ?? []) as readonly Cause[],
    data: fields.data,
  };
}

function currentVersion(type: string, types: EventTypes): number {
  return types.get(type)?.versions.length ?? 1;
}

function runOf(stream: string): string | null {
  const name = parseStream(stream);
  if (name === null) return null;
  return name.category === 'ablation' ? name.ablation : 'run' in name ? name.run : null;
}

function stageOf(stream: string): number | null {
  const name = parseStream(stream);
  return name?.category === 'evidence' ? name.stage : null;
}

// A recorded event that is sent again carries its digest and must be identical to the recorded one, so that altered
// events are not taken for the original.

/** Throws BadPiece if the digest does not match the event at its place in the stream. */
function requireAsRecorded(fields: Fields, stream: string, event: NewEvent): void {
  const { digest, revision, previous } = fields;
  if (revision === undefined || previous === undefined) {
    throw badPiece('digest', 'a digest without `revision` and `previous`, which are part of it', 'all three, or none', {
      remedy,
    });
  }
  const computed = sha256(canonicalJson({ ...event, stream, revision, previous }));
  if (computed !== digest) {
    throw badPiece('digest', 'the digest of another event: this one was altered', `${computed}, or no digest`, {
      remedy,
    });
  }
}

const remedy = 'To send it as a new event, leave out digest, revision and previous, and give it a new id.';
