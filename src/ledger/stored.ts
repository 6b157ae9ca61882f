// An event as a store gives it back: the bytes that were hashed, with what can be known without parsing them beside.
// Parsing is left to who needs it: a copy, a projection or a verification moves bytes.
import { isCanonicalText } from '../../schemas/canonical-text.ts';
import { eventTypes, type Reading } from '../../schemas/catalogue.ts';
import type { EventTypes } from '../../schemas/check.ts';
import type { OwnData } from '../../schemas/define-event.ts';
import type { Envelope, RecordedEvent } from '../../schemas/envelope.ts';
import type { DataSchema, EventType } from '../../schemas/family.ts';
import { parseJson } from '../../schemas/json-text.ts';
import { readAgainst, standsIn } from '../../schemas/reading.ts';
import { DamagedEvent } from './errors.ts';
import { type Cursor, isMoment, maxEventBytes, uuidOf } from './event.ts';
import { sha256 } from './identity/ids.ts';

/** An event as it is stored: its canonical JSON with its digest and place; it is parsed only when needed. */
export class StoredEvent {
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  /** The id the store finds it by, as 32 hexadecimal digits; the event's own is in `body`. */
  readonly filedId: string;
  /** When the store wrote it, in milliseconds since 1970. */
  readonly recordedMs: number;
  /** SHA-256 of `body`, in hexadecimal. */
  readonly digest: string;
  /** The canonical JSON that was hashed and stored. */
  readonly body: string;
  /** Where to go on reading the whole ledger after this event. */
  readonly cursor: Cursor;
  /** The types it is read with: more than icecore's own where others were registered. */
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

  /** What `body` hashes to; a store that has looked already says so, and nobody hashes it again. */
  get hashed(): string {
    this.#hashed ??= sha256(this.body);
    return this.#hashed;
  }

  /** The envelope as it was written, of whatever version. Throws DamagedEvent. */
  get envelope(): Envelope {
    this.#envelope ??= this.#parsed();
    return this.#envelope;
  }

  #parsed(): Envelope {
    try {
      const found = parseJson(this.body);
      if (typeof found === 'object' && found !== null) return found as Envelope;
    } catch {
      // What cannot be parsed is no event either.
    }
    throw new DamagedEvent(this.stream, this.revision, 'its bytes are not an event');
  }

  /** When the store wrote it; where the store says no moment, what it says. */
  get recordedAt(): string {
    return isMoment(this.recordedMs) ? new Date(this.recordedMs).toISOString() : `${this.recordedMs} ms after 1970`;
  }

  get id(): string {
    return this.envelope.id;
  }

  /** Whether it can be read, told without parsing it: members of canonical JSON are sorted by name, and the version comes last. */
  get isKnown(): boolean {
    const declared = this.types.get(this.type);
    if (declared === undefined || !standsIn(declared, this.stream)) return false;
    const newest = declared.versions.length;
    if (this.body.endsWith(`"version":${newest}}`)) return true;
    const version = Number(/"version":(\d+)\}$/.exec(this.body.slice(-40))?.[1]);
    return version >= 1 && version <= newest;
  }

  /** The data in today's version of its type, or opaque where this icecore does not know it. */
  get reading(): Reading {
    const { type, version, data } = this.envelope;
    const declared = this.types.get(type);
    if (declared !== undefined && !standsIn(declared, this.stream))
      return { known: false, type, version, data, why: 'unknown-stream' };
    return readAgainst(this.types, type, version, data) as Reading;
  }

  /** Its data as a type that `defineEvent` declared, in the current version; null where it is of another or cannot be read as that. */
  dataOf<Declared extends EventType<DataSchema>>(declared: Declared): OwnData<Declared> | null {
    const { type, version, data } = this.envelope;
    const reading = readAgainst(new Map([[declared.type, declared]]), type, version, data);
    return reading.known ? (reading.data as OwnData<Declared>) : null;
  }

  /** The event as it is shown to people and programs. */
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

/** Null when the text is not the body of an event. */
export function skimBody(body: string): Skimmed | null {
  const from = body.lastIndexOf(last) - idMember.length - idLength - 1;
  if (from < 0 || !body.startsWith(idMember, from)) return null;
  try {
    return parseJson(`{${body.slice(from + 1)}`) as Skimmed;
  } catch {
    return null;
  }
}

/** The first thing that is wrong with an event taken for itself; null when it is what it says and is filed as that. */
export function damageOf(event: StoredEvent, own: Skimmed | null): string | null {
  if (event.hashed !== event.digest) return `its bytes hash to ${event.hashed}, its digest says ${event.digest}`;
  if (own === null) return 'its bytes are not an event';
  const [first] = [...impossibilities(event), ...misfilings(event, own)];
  if (first !== undefined) return first;
  // Members may come twice or in another order, so that what was read at the end of the text is not what it says as a whole.
  return isCanonicalText(event.body) ? null : 'its bytes are not canonical JSON';
}

/** What no icecore stores of an event, whatever its digest says. */
export function* impossibilities({ body, recordedMs }: StoredEvent): Generator<string> {
  // No character has more than three bytes.
  const bytes = body.length * 3 > maxEventBytes ? Buffer.byteLength(body) : 0;
  if (bytes > maxEventBytes) yield `it has ${bytes} bytes, at most ${maxEventBytes} are allowed`;
  if (!isMoment(recordedMs)) yield `it was recorded ${recordedMs} ms after 1970, which is no moment`;
}

type Own = Pick<Skimmed, 'id' | 'revision' | 'stream' | 'type'>;

/** In what an event is filed as something else than its bytes say it is. These may say anything. */
export function* misfilings(event: StoredEvent, { id, revision, stream, type }: Own): Generator<string> {
  if (stream !== event.stream) yield `its bytes say stream ${stream}`;
  if (revision !== event.revision) yield `its bytes say revision ${revision}`;
  if (type !== event.type) yield `its bytes say type ${type}, it is filed as ${event.type}`;
  if (String(id).replaceAll('-', '') !== event.filedId) yield `its bytes say id ${id}, it is filed as ${uuidOf(event)}`;
}

/** Throws DamagedEvent where something is wrong. */
export function skim(event: StoredEvent): Skimmed {
  const own = skimBody(event.body);
  const damage = damageOf(event, own);
  if (damage !== null || own === null) throw new DamagedEvent(event.stream, event.revision, damage ?? 'unreadable');
  return own;
}
