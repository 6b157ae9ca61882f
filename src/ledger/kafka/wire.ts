// An event as a Kafka record: the key is its stream, the value the canonical bytes that were hashed, and what must be known
// without parsing them stands in headers, as CloudEvents wants them (binary mode, `ce_` before each attribute).
import type { NewEvent } from '../../../schemas/envelope.ts';
import { isChained, streamPattern } from '../../../schemas/streams.ts';
import type { FoundRecord, OutgoingRecord } from './transport/transport.ts';

const typePrefix = 'icecore.';

/** Whose a stream is that carries no chain: a later epoch fences the writers of earlier ones. */
export interface Holder {
  readonly epoch: number;
  /** Of one taking over, by one opened ledger. */
  readonly session: string;
}

export interface Writer extends Holder {
  /** The revision of the event with which it takes the stream over. */
  readonly first: number;
}

/** What a record says of its event's place, whoever sent it. */
export interface Placed {
  readonly stream: string;
  readonly revision: number;
  /** 32 hexadecimal digits. */
  readonly id: string;
  readonly type: string;
  readonly digest: string;
  /** In a chained stream, the digest of the event before it. */
  readonly previous: string | null;
  /** Null in a chained stream. */
  readonly writer: Writer | null;
}

export interface Outgoing {
  readonly stream: string;
  readonly revision: number;
  readonly body: string;
  readonly digest: string;
  readonly previous: string | null;
  readonly writer: Writer | null;
  readonly recordedMs: number;
  readonly event: Pick<NewEvent, 'id' | 'type' | 'at' | 'actor'>;
}

/** What may stand in a header as it is; CloudEvents has everything else, and the %, written as %XX. */
const unsafe = /[^\x21-\x24\x26-\x7e]/gu;

export function recordOf(outgoing: Outgoing): OutgoingRecord {
  const { stream, revision, body, digest, previous, writer, recordedMs, event } = outgoing;
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    ce_specversion: '1.0',
    ce_id: event.id,
    ce_source: event.actor.replace(unsafe, (character) => encodeURIComponent(character.toWellFormed())),
    ce_type: typePrefix + event.type,
    ce_time: event.at,
    ce_subject: stream,
    ce_revision: String(revision),
    ce_digest: digest,
  };
  if (previous !== null) headers['ce_previous'] = previous;
  if (writer !== null) headers['ce_writer'] = `${writer.epoch}.${writer.session}.${writer.first}`;
  return { key: stream, value: body, headers, timestamp: recordedMs };
}

const wholeNumber = /^(?:0|[1-9][0-9]{0,14})$/;
const hexadecimal = /^[0-9a-f]{64}$/;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const writerPattern = /^([1-9][0-9]{0,9})\.([0-9a-z]{1,32})\.(0|[1-9][0-9]{0,14})$/;
/** The last that a date can be. */
const latestMs = 8_640_000_000_000_000;

const [openingBrace, closingBrace] = [0x7b, 0x7d];

/** A mere look: whether all of it is as it must be is found by whoever reads it. */
export function holdsAnEvent({ value }: FoundRecord): boolean {
  return value?.[0] === openingBrace && value.at(-1) === closingBrace;
}

/** Reads records one after the other: those of one stream mostly come together, so its name is read once for them. */
export class Placing {
  #key: Buffer | null = null;
  #stream: string | null = null;

  /** Says in words why a record is no event of a ledger, where it is none. */
  placedIn({ key, headers, timestamp }: FoundRecord): Placed | string {
    const stream = this.#streamOf(key);
    if (stream === null) return 'its key is no stream';
    const text = (name: string): string => headers.ascii(name) ?? '';
    const [id, revision, digest, type] = [text('ce_id'), text('ce_revision'), text('ce_digest'), text('ce_type')];
    if (timestamp < 0 || timestamp > latestMs) return 'its timestamp is no time';
    if (!uuid.test(id)) return 'the header ce_id is no UUID';
    if (!wholeNumber.test(revision)) return 'the header ce_revision is no revision';
    if (!hexadecimal.test(digest)) return 'the header ce_digest is no SHA-256';
    if (!type.startsWith(typePrefix)) return 'the header ce_type is no type of icecore';
    const place = { stream, revision: Number(revision), id: id.replaceAll('-', '') };
    const own = { ...place, type: type.slice(typePrefix.length), digest };
    if (isChained(stream)) return { ...own, previous: text('ce_previous') || null, writer: null };
    const [, epoch, session, first] = writerPattern.exec(text('ce_writer')) ?? [];
    if (epoch === undefined || session === undefined) return 'the header ce_writer names no writer';
    return { ...own, previous: null, writer: { epoch: Number(epoch), session, first: Number(first) } };
  }

  #streamOf(key: Buffer | null): string | null {
    if (key === null) return null;
    if (this.#key?.equals(key) !== true) {
      const stream = key.toString('utf8');
      this.#stream = streamPattern.test(stream) ? stream : null;
      this.#key = key;
    }
    return this.#stream;
  }
}
