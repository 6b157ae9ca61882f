// An event as a Kafka record, as CloudEvents' Kafka binding has it in binary mode: the value is the event's data, as JSON, and
// each attribute is a header `ce_`. The key is the stream. The canonical text that was hashed is made again on reading, and
// only a record with an equal SHA-256 is the event.
import type { KafkaMessage, Message } from 'kafkajs';
import { parseJson } from '../../../schemas/json-text.ts';
import { isChained, streamPattern } from '../../../schemas/streams.ts';
import { sha256 } from '../identity/ids.ts';
import type { FoundEvent, OutgoingEvent } from '../remote/log.ts';

const typePrefix = 'icecore.';

/** What may stand in the path of a URI as it is (RFC 3986); everything else, the % too, is written as %XX. */
const unsafeInSource = /[^A-Za-z0-9\-._~!$&'()*+,;=:@/]/gu;

/** The members of an event's canonical JSON. `causes` and `data` are JSON texts. */
interface Members {
  readonly actor: string;
  readonly at: string;
  readonly causes: string;
  readonly data: string;
  readonly id: string;
  readonly previous: string | null;
  readonly revision: number;
  readonly run: string | null;
  readonly stage: number | null;
  readonly stream: string;
  readonly type: string;
  readonly version: number;
}

function bodyOf(members: Members): string {
  const { actor, at, causes, data, id, previous, revision, run, stage, stream, type, version } = members;
  const before = previous === null ? 'null' : `"${previous}"`;
  const of = run === null ? 'null' : `"${run}"`;
  return `{"actor":${JSON.stringify(actor)},"at":"${at}","causes":${causes},"data":${data},"id":"${id}","previous":${before},"revision":${revision},"run":${of},"stage":${stage},"stream":"${stream}","type":"${type}","version":${version}}`;
}

/** What comes after the data, all of it without quotes and escapes inside. */
const tailPattern =
  /^,"id":"([^"]*)","previous":(?:null|"([^"]*)"),"revision":(\d+),"run":(?:null|"([^"]*)"),"stage":(?:null|(\d+)),"stream":"([^"]*)","type":"([^"]*)","version":(\d+)\}$/;

/**
 * Cuts a canonical body into its members; null where it has others. Members stand in the order of their names, and a quote
 * inside a text is escaped, so `,"data":` first appears where the data begins and `,"id":"` last appears where it ends.
 */
function membersOf(body: string): Members | null {
  const at = body.indexOf(',"at":"');
  const causes = body.indexOf(',"causes":', at);
  const data = body.indexOf(',"data":', causes);
  const tail = body.lastIndexOf(',"id":"');
  const found = tailPattern.exec(body.slice(tail));
  if (found === null) return null;
  const [, id = '', previous = null, revision, run = null, stage, stream = '', type = '', version] = found;
  return {
    actor: String(parseJson(body.slice('{"actor":'.length, at))),
    at: body.slice(at + ',"at":"'.length, causes - 1),
    causes: body.slice(causes + ',"causes":'.length, data),
    data: body.slice(data + ',"data":'.length, tail),
    id,
    previous,
    revision: Number(revision),
    run,
    stage: stage === undefined ? null : Number(stage),
    stream,
    type,
    version: Number(version),
  };
}

/** Throws where the event has members that this record cannot carry: then it would not be the same when it is read. */
export function messageOf(stream: string, event: OutgoingEvent, partition: number): Message {
  const members = membersOf(event.body);
  if (members?.stream !== stream || bodyOf(members) !== event.body) {
    throw new Error(`the body of ${stream}@${event.revision} is not that of an event`);
  }
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    ce_specversion: '1.0',
    ce_id: members.id,
    ce_source: members.actor.replace(unsafeInSource, (character) => encodeURIComponent(character)),
    ce_type: typePrefix + members.type,
    ce_time: members.at,
    ce_subject: stream,
    ce_schemaversion: String(members.version),
    ce_revision: String(members.revision),
    ce_digest: event.digest,
  };
  if (members.run !== null) headers['ce_run'] = members.run;
  if (members.stage !== null) headers['ce_stage'] = String(members.stage);
  if (members.causes !== '[]') headers['ce_causes'] = members.causes;
  if (members.previous !== null) headers['ce_previous'] = members.previous;
  const timestamp = String(event.recordedMs ?? Date.now());
  return { key: stream, value: members.data, headers, partition, timestamp };
}

const wholeNumber = /^(?:0|[1-9][0-9]{0,14})$/;
const hexadecimal = /^[0-9a-f]{64}$/;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Without quotes and escapes, so that they stand in JSON as they are. */
const plain = /^[A-Za-z0-9._:+-]+$/;
/** The last moment that a date can be, in milliseconds. */
const latestMs = 8_640_000_000_000_000;

/** The stream that a record claims to be of; null where it is none of ours. */
export function streamOfKey(key: Buffer | null): string | null {
  const stream = key?.toString('utf8') ?? '';
  return streamPattern.test(stream) && !isChained(stream) ? stream : null;
}

/** An event but for its position, or in words why the record is none. `stream` is that of the record's key. */
export function eventIn(stream: string, { value, headers = {}, timestamp }: KafkaMessage): Found | string {
  const text = (name: string): string | null => {
    const header = headers[name];
    // Of several headers of one name, nobody knows which one counts.
    return Buffer.isBuffer(header) ? header.toString('utf8') : null;
  };
  if (value === null) return 'it has no value';
  if (value[0] !== 0x7b || value.at(-1) !== 0x7d) return 'its value is no JSON object';
  const recordedMs = Number(timestamp);
  if (!(recordedMs >= 0 && recordedMs <= latestMs)) return 'its timestamp is no time';
  const [id, digest, at, source] = [text('ce_id'), text('ce_digest'), text('ce_time'), text('ce_source')];
  const [type, version, revision] = [text('ce_type'), text('ce_schemaversion'), text('ce_revision')];
  const [run, stage, previous] = [text('ce_run'), text('ce_stage'), text('ce_previous')];
  if (id === null || !uuid.test(id)) return 'the header ce_id is no UUID';
  if (revision === null || !wholeNumber.test(revision)) return 'the header ce_revision is no revision';
  if (digest === null || !hexadecimal.test(digest)) return 'the header ce_digest is no SHA-256';
  if (type?.startsWith(typePrefix) !== true || !plain.test(type)) return 'the header ce_type is no type of icecore';
  if (version === null || !wholeNumber.test(version)) return 'the header ce_schemaversion is no version';
  if (at === null || !plain.test(at)) return 'the header ce_time is no time';
  if (run !== null && !plain.test(run)) return 'the header ce_run is no run';
  if (stage !== null && !wholeNumber.test(stage)) return 'the header ce_stage is no stage';
  if (previous !== null && !hexadecimal.test(previous)) return 'the header ce_previous is no SHA-256';
  const actor = actorOf(source);
  if (actor === null) return 'the header ce_source is no URI reference';
  const members: Members = {
    actor,
    at,
    causes: text('ce_causes') ?? '[]',
    data: value.toString('utf8'),
    id,
    previous,
    revision: Number(revision),
    run,
    stage: stage === null ? null : Number(stage),
    stream,
    type: type.slice(typePrefix.length),
    version: Number(version),
  };
  const body = bodyOf(members);
  if (sha256(body) !== digest) return 'its SHA-256 is not that of the header ce_digest';
  return { stream, revision: members.revision, type: members.type, id, recordedMs, digest, body };
}

export type Found = Omit<FoundEvent, 'position'>;

function actorOf(source: string | null): string | null {
  if (source?.includes('%') !== true) return source;
  try {
    return decodeURIComponent(source);
  } catch {
    return null;
  }
}
