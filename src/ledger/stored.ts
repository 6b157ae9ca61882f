// An event as a store gives it back: the bytes that were hashed, with what can be known without parsing them beside.
// Parsing is left to who needs it: a copy, a projection or a verification moves bytes.
import { type Reading, readEvent } from '../../schemas/catalogue.ts';
import type { Envelope, RecordedEvent } from '../../schemas/envelope.ts';
import { parseJson } from '../../schemas/json-text.ts';
import type { Cursor } from './cursor.ts';

export class StoredEvent {
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  /** The id the store finds it by, as 32 hexadecimal digits; the event's own stands in `body`. */
  readonly filedId: string;
  /** When the store wrote it, in milliseconds since 1970. */
  readonly recordedMs: number;
  /** SHA-256 of `body`, in hexadecimal. */
  readonly digest: string;
  /** The canonical JSON that was hashed and stored. */
  readonly body: string;
  /** Where to go on reading the whole ledger after this event. */
  readonly cursor: Cursor;
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
  ) {
    this.stream = stream;
    this.revision = revision;
    this.type = type;
    this.filedId = filedId;
    this.recordedMs = recordedMs;
    this.digest = digest;
    this.body = body;
    this.cursor = cursor;
  }

  /** The envelope as it was written, of whatever version. */
  get envelope(): Envelope {
    this.#envelope ??= parseJson(this.body) as Envelope;
    return this.#envelope;
  }

  get id(): string {
    return this.envelope.id;
  }

  /** The data in today's version of its type, or opaque where this icecore does not know it. */
  get reading(): Reading {
    const { type, version, data } = this.envelope;
    return readEvent(type, version, data);
  }

  /** The event as it is shown to people and programs. */
  toJSON(): RecordedEvent {
    return { ...this.envelope, recordedAt: new Date(this.recordedMs).toISOString(), digest: this.digest };
  }
}

/** The id an event is filed under, written as ids are. */
export function uuidOf({ filedId }: StoredEvent): string {
  return filedId.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
