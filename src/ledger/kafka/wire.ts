// The form of an event as a Kafka record, in the binary mode of CloudEvents' Kafka binding: the value is the event's data as
// JSON, and each attribute is a header `ce_`. The key is the stream. The canonical text that was hashed is reconstructed on
// reading, and a record is an event only if its SHA-256 matches.
import { isUtf8 } from 'node:buffer';
import type { IHeaders, KafkaMessage, Message } from 'kafkajs';
import { parseJson } from '../../../schemas/json-text.ts';
import { isChained, streamPattern } from '../../../schemas/streams.ts';
import { sha256 } from '../identity/ids.ts';
import type { FoundEvent, OutgoingEvent, Position } from '../remote/log.ts';

const typePrefix = 'icecore.';

/** Characters allowed unescaped in the path of a URI (RFC 3986); all others, including %, are written as %XX. */
const unsafeInSource = /[^A-Za-z0-9\-._~!$&'()*+,;=:@/]/gu;

/**
 * The members of an event in its canonical JSON. Quotes within texts are escaped, so the first `,"data":` after a list of causes
 * begins the data, and the last `,"id":"` ends it.
 */
const bodyPattern =
  /^\{"actor":("(?:[^"\\]|\\.)*"),"at":"([^"]*)","causes":(\[.*?\]),"data":(\{.*\}),"id":"([^"]*)","previous":(null|"[^"]*"),"revision":(\d+),"run":(null|"[^"]*"),"stage":(null|\d+),"stream":"([^"]*)","type":"([^"]*)","version":(\d+)\}$/s;

/** Throws for an event with members that the record cannot carry, since reading it would give another event. */
export function messageOf(stream: string, event: OutgoingEvent, partition: number): Message {
  const found = bodyPattern.exec(event.body);
  const source = sourceOf(found?.[1] ?? '""');
  if (found === null || source === null || found[10] !== stream) {
    throw new Error(`the body of ${stream}@${event.revision} is not that of an event`);
  }
  const [, , at, causes, data = '', id, previous, revision, run, stage, , type = '', version] = found;
  const headers: Record<string, string | undefined> = {
    'content-type': 'application/json',
    ce_specversion: '1.0',
    ce_id: id,
    ce_source: source,
    ce_type: typePrefix + type,
    ce_time: at,
    ce_subject: stream,
    ce_schemaversion: version,
    ce_revision: revision,
    ce_digest: event.digest,
  };
  if (run !== 'null') headers['ce_run'] = run?.slice(1, -1);
  if (stage !== 'null') headers['ce_stage'] = stage;
  if (causes !== '[]') headers['ce_causes'] = causes;
  if (previous !== 'null') headers['ce_previous'] = previous?.slice(1, -1);
  const timestamp = String(event.recordedMs ?? Date.now());
  return { key: stream, value: data, headers, partition, timestamp };
}

/** Null: not the canonical text of an actor. It is usually that of the event before. */
const sourceOf = rememberingLast((text: string): string | null => {
  const actor = parseJson(text);
  if (typeof actor !== 'string' || JSON.stringify(actor) !== text) return null;
  return actor.replace(unsafeInSource, (character) => encodeURIComponent(character));
});

/** Null: not a URI reference. */
const actorOf = rememberingLast((source: string): string | null => {
  try {
    return JSON.stringify(decodeURIComponent(source));
  } catch {
    return null;
  }
});

function rememberingLast<Result>(compute: (text: string) => Result): (text: string) => Result {
  let last: { readonly text: string; readonly result: Result } | null = null;
  return (text) => {
    if (last?.text !== text) last = { text, result: compute(text) };
    return last.result;
  };
}

const wholeNumber = /^(?:0|[1-9][0-9]{0,14})$/;
const hexadecimal = /^[0-9a-f]{64}$/;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Without quotes and escapes, so that they are the same in JSON. */
const plain = /^[A-Za-z0-9._:+-]+$/;
/** The latest moment that a Date can represent, in milliseconds. */
const latestMs = 8_640_000_000_000_000;

/** The stream named by a record's key; null: not a stream name. */
export function streamOfKey(key: Buffer | null): string | null {
  const stream = key?.toString('utf8') ?? '';
  return streamPattern.test(stream) && !isChained(stream) ? stream : null;
}

/** Evidence in Kafka is read by attempts or in pages, which have positions; single events have none. */
export const noPosition: Position = '';

/** The event in a record, or why there is none. */
export function eventOf(record: KafkaMessage): FoundEvent | string {
  const stream = streamOfKey(record.key);
  return stream === null ? 'its key is no evidence stream' : eventIn(stream, record);
}

/** The event in a record, or why there is none. `stream` is that of the record's key. */
export function eventIn(stream: string, { value, headers = {}, timestamp }: KafkaMessage): FoundEvent | string {
  if (value === null) return 'it has no value';
  if (value[0] !== 0x7b || value[value.length - 1] !== 0x7d) return 'its value is not a JSON object';
  const recordedMs = Number(timestamp);
  if (!(recordedMs >= 0 && recordedMs <= latestMs)) return 'its timestamp is not a valid time';
  const id = textOf(headers['ce_id'], uuid);
  if (id === null) return 'the header ce_id is not a UUID';
  const revision = textOf(headers['ce_revision'], wholeNumber);
  if (revision === null) return 'the header ce_revision is not a revision';
  const type = typeIn(headers['ce_type']);
  if (type === null) return 'the header ce_type is not a type of icecore';
  const version = versionIn(headers['ce_schemaversion']);
  if (version === null) return 'the header ce_schemaversion is not a version';
  const at = timeIn(headers['ce_time']);
  if (at === null) return 'the header ce_time is not a time';
  const actor = actorOf(sourceIn(headers['ce_source']) ?? '%');
  if (actor === null) return 'the header ce_source is not a URI reference';
  const run = runIn(headers['ce_run']);
  if (run === null && headers['ce_run'] !== undefined) return 'the header ce_run is not a run';
  const stage = stageIn(headers['ce_stage']);
  if (stage === null && headers['ce_stage'] !== undefined) return 'the header ce_stage is not a stage';
  const previous = textOf(headers['ce_previous'], hexadecimal);
  if (previous === null && headers['ce_previous'] !== undefined) return 'the header ce_previous is not a SHA-256';
  const causes = textOf(headers['ce_causes'], anyText) ?? '[]';
  const own = type.slice(typePrefix.length);
  const head = `{"actor":${actor},"at":"${at}","causes":${causes},"data":`;
  const tail = `,"id":"${id}","previous":${quoted(previous)},"revision":${revision},"run":${quoted(run)},"stage":${stage},"stream":"${stream}","type":"${own}","version":${version}}`;
  const digest = digestOf(head, value, tail);
  const recorded = headers['ce_digest'];
  const matches = Buffer.isBuffer(recorded) && recorded.toString('latin1') === digest && isUtf8(value);
  if (!matches) return 'its SHA-256 does not match the header ce_digest';
  const body = head + value.toString('utf8') + tail;
  return { stream, revision: Number(revision), type: own, id, recordedMs, digest, body, position: noPosition };
}

function quoted(text: string | null): string {
  return text === null ? 'null' : `"${text}"`;
}

/** Bytes are hashed faster than the text that is made of them. */
let bytes = Buffer.allocUnsafe(1 << 16);

function digestOf(head: string, value: Buffer, tail: string): string {
  const most = 3 * (head.length + tail.length) + value.length;
  if (most > bytes.length) bytes = Buffer.allocUnsafe(2 * most);
  let end = bytes.write(head);
  end += value.copy(bytes, end);
  end += bytes.write(tail, end);
  return sha256(bytes.subarray(0, end));
}

/**
 * Null if it is missing or does not match. With several headers of one name it is unknown which one counts. Non-ASCII bytes
 * become other characters, and so another digest.
 */
function textOf(header: IHeaders[string], pattern: RegExp): string | null {
  if (!Buffer.isBuffer(header)) return null;
  const text = header.toString('latin1');
  return pattern.test(text) ? text : null;
}

/** For a header that usually equals that of the record before. */
function repeatedTextOf(pattern: RegExp): (header: IHeaders[string]) => string | null {
  let [last, text] = [Buffer.of(), ''];
  return (header) => {
    if (text !== '' && Buffer.isBuffer(header) && last.equals(header)) return text;
    const found = textOf(header, pattern);
    // Copied, because a record's bytes are a slice of its whole batch.
    if (found !== null) [last, text] = [Buffer.from(found, 'latin1'), found];
    return found;
  };
}

const anyText = /^/;
const typeIn = repeatedTextOf(/^icecore\.[A-Za-z][A-Za-z0-9._-]*$/);
const versionIn = repeatedTextOf(wholeNumber);
const timeIn = repeatedTextOf(plain);
const sourceIn = repeatedTextOf(anyText);
const runIn = repeatedTextOf(plain);
const stageIn = repeatedTextOf(wholeNumber);
