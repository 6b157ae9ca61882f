// An event as a store returns it: the bytes that were hashed, with the facts that are known without parsing them. Copies,
// projections and verifications move bytes, so parsing is left to callers.
import { isCanonicalText } from '../../schemas/canonical-text.ts';
import { eventTypes, type Reading } from '../../schemas/catalogue.ts';
import type { EventTypes } from '../../schemas/check.ts';
import type { OwnData } from '../../schemas/define-event.ts';
import type { Envelope, RecordedEvent } from '../../schemas/envelope.ts';
import type { DataSchema, EventType } from '../../schemas/family.ts';
import { jsonOrUndefined } from '../../schemas/json-text.ts';
import { belongsIn, readAgainst } from '../../schemas/reading.ts';
import { DamagedEvent } from './errors.ts';
import { type Cursor, isMoment, maxEventBytes, uuidOf } from './event.ts';
import { sha256 } from './identity/ids.ts';

/** All types that can be written to a ledger and read from it. */
export function typesOf({ types }: { readonly types?: EventTypes }): EventTypes {
  return types ?? eventTypes;
}

/** A stored event: its canonical JSON with its digest and place; it is parsed only when needed. */
export class StoredEvent {
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  /** The id under which the store files it, as 32 hexadecimal digits; the id of the event itself is in `body`. */
  readonly filedId: string;
  /** When the store wrote it, in milliseconds since 1970. */
  readonly recordedMs: number;
  /** SHA-256 of `body`, in hexadecimal. */
  readonly digest: string;
  /** The canonical JSON that was hashed and stored. */
  readonly body: string;
  /** The cursor for reading the whole ledger after this event. */
  readonly cursor: Cursor;
  /** The types to read it with: more than icecore's own if others are registered. */
  types: EventTypes = eventTypes;
  #hashed: string | null;
  #envelope: Envelope | undefined;

  constructor(
    stream: string,
    revision: number,
    type: string,
    filedId: string,
    recordedMs: number,
    digest: string,
    body: string,
    cursor: Cursor,
    hashed: string | null = null,
  ) {
    this.stream = stream;
    this.revision = revision;
    this.type = type;
    this.filedId = filedId;
    this.recordedMs = recordedMs;
    this.digest = digest;
    this.body = body;
    this.cursor = cursor;
    this.#hashed = hashed;
  }

  /** The same event, found at another cursor. */
  at(cursor: Cursor): StoredEvent {
    const { stream, revision, type, filedId, recordedMs, digest, body } = this;
    return new StoredEvent(stream, revision, type, filedId, recordedMs, digest, body, cursor, this.#hashed);
  }

  /** The hash of `body`, computed once; a store that has already verified it sets it. */
  get hashed(): string {
    this.#hashed ??= sha256(this.body);
    return this.#hashed;
  }

  /** The envelope as written, of any version. Throws DamagedEvent. */
  get envelope(): Envelope {
    this.#envelope ??= this.#parsed();
    return this.#envelope;
  }

  #parsed(): Envelope {
    const found = jsonOrUndefined(this.body);
    if (typeof found === 'object' && found !== null) return found as Envelope;
    throw new DamagedEvent(this.stream, this.revision, 'its bytes are not an event');
  }

  /** When the store wrote it, as a moment, or the stored value if it is not one. */
  get recordedAt(): string {
    return isMoment(this.recordedMs) ? new Date(this.recordedMs).toISOString() : `${this.recordedMs} ms after 1970`;
  }

  get id(): string {
    return this.envelope.id;
  }

  /** Whether it can be read, without parsing it: members of canonical JSON are sorted by name, and the version comes last. */
  get isKnown(): boolean {
    const declared = this.types.get(this.type);
    if (declared === undefined || !belongsIn(declared, this.stream)) return false;
    const newest = declared.versions.length;
    if (this.body.endsWith(`"version":${newest}}`)) return true;
    const version = Number(/"version":(\d+)\}$/.exec(this.body.slice(-40))?.[1]);
    return version >= 1 && version <= newest;
  }

  /** The data in the current version of its type, or opaque if this icecore does not know it. */
  get reading(): Reading {
    const { type, version, data } = this.envelope;
    const declared = this.types.get(type);
    if (declared !== undefined && !belongsIn(declared, this.stream))
      return { known: false, type, version, data, why: 'unknown-stream' };
    return readAgainst(this.types, type, version, data) as Reading;
  }

  /** The data as a type declared with `defineEvent`, in the current version; null if it is of another type or cannot be read. */
  dataOf<Declared extends EventType<DataSchema>>(declared: Declared): OwnData<Declared> | null {
    const { type, version, data } = this.envelope;
    const reading = readAgainst(new Map([[declared.type, declared]]), type, version, data);
    return reading.known ? (reading.data as OwnData<Declared>) : null;
  }

  /** The event as people and programs see it. */
  toJSON(): RecordedEvent {
    return { ...this.envelope, recordedAt: this.recordedAt, digest: this.digest };
  }
}

/** The members after `data`. */
export interface Skimmed {
  readonly id: string;
  readonly previous: string | null;
  readonly revision: number;
  readonly run: string | null;
  readonly stage: number | null;
  readonly stream: string;
  readonly type: string;
  readonly version: number;
}

const last = ',"previous":';
const idMember = ',"id":"';
const idLength = 36;

/** Null: the text is not the body of an event. */
export function skimBody(body: string): Skimmed | null {
  const from = body.lastIndexOf(last) - idMember.length - idLength - 1;
  if (from < 0 || !body.startsWith(idMember, from)) return null;
  return (jsonOrUndefined(`{${body.slice(from + 1)}`) ?? null) as Skimmed | null;
}

/** The first fault of the event by itself; null if it has none and is filed correctly. */
export function damageOf(event: StoredEvent, own: Skimmed | null): string | null {
  if (event.hashed !== event.digest) return `its bytes hash to ${event.hashed}, its digest says ${event.digest}`;
  if (own === null) return 'its bytes are not an event';
  const [first] = [...impossibilities(event), ...misfilings(event, own)];
  if (first !== undefined) return first;
  // Members may be repeated or out of order, so the end of the text may contradict the rest.
  return isCanonicalText(event.body) ? null : 'its bytes are not canonical JSON';
}

/** Values that no icecore stores, whatever the digest. */
export function* impossibilities({ body, recordedMs }: StoredEvent): Generator<string> {
  // No character takes more than three bytes.
  const bytes = body.length * 3 > maxEventBytes ? Buffer.byteLength(body) : 0;
  if (bytes > maxEventBytes) yield `it has ${bytes} bytes, at most ${maxEventBytes} are allowed`;
  if (!isMoment(recordedMs)) yield `it was recorded ${recordedMs} ms after 1970, which is not a valid time`;
}

type Own = Pick<Skimmed, 'id' | 'revision' | 'stream' | 'type'>;

/** The differences between how an event is filed and what its bytes contain, which may be anything. */
export function* misfilings(event: StoredEvent, { id, revision, stream, type }: Own): Generator<string> {
  if (stream !== event.stream) yield `its bytes say stream ${stream}`;
  if (revision !== event.revision) yield `its bytes say revision ${revision}`;
  if (type !== event.type) yield `its bytes say type ${type}, it is filed as ${event.type}`;
  if (String(id).replaceAll('-', '') !== event.filedId) yield `its bytes say id ${id}, it is filed as ${uuidOf(event)}`;
}

/** Throws DamagedEvent for a faulty event. */
export function skim(event: StoredEvent): Skimmed {
  const own = skimBody(event.body);
  const damage = damageOf(event, own);
  if (damage !== null || own === null) throw new DamagedEvent(event.stream, event.revision, damage ?? 'unreadable');
  return own;
}
