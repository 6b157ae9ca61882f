// Converts events to CloudEvents 1.0 (structured JSON) and back. Fields that CloudEvents defines become its attributes; the
// rest of the envelope becomes extension attributes, whose names are lower-case letters and digits and whose values are
// texts, whole numbers or booleans, as the specification requires.
//
//   id, subject = stream, type = icecore.<Type> (a plugin type, which contains a dot, is unchanged), source = actor as a relative URI reference, time = at
//   schemaversion, run, stage, causes (JSON as text), and of a recorded event revision, previous, recordedat, digest
import type { RecordedEvent } from './envelope.ts';
import { found, IcecoreError, type Issue } from './errors.ts';
import { parseJson } from './json-text.ts';
import { nearest } from './nearest.ts';

/** Our types have this prefix in a CloudEvent; they are accepted without it too. */
const prefix = 'icecore.';
const typePrefix = /^icecore\./;
/** CloudEvents has no wider integers, so wider ones are written as text. */
const widestInteger = 2 ** 31 - 1;

export interface CloudEvent {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject: string;
  readonly time: string;
  readonly datacontenttype: 'application/json';
  readonly schemaversion: number;
  readonly run?: string;
  readonly stage?: number;
  readonly causes?: string;
  readonly revision: number | string;
  readonly previous?: string;
  readonly recordedat: string;
  readonly digest: string;
  readonly data: unknown;
}

export function toCloudEvent(event: RecordedEvent): CloudEvent {
  return {
    specversion: '1.0',
    id: event.id,
    source: encodeSource(event.actor),
    type: isOfOthers(event.type) ? event.type : prefix + event.type,
    subject: event.stream,
    time: event.at,
    datacontenttype: 'application/json',
    schemaversion: event.version,
    ...(event.run === null ? {} : { run: event.run }),
    ...(event.stage === null ? {} : { stage: event.stage }),
    ...(event.causes.length === 0 ? {} : { causes: JSON.stringify(event.causes) }),
    revision: event.revision <= widestInteger ? event.revision : String(event.revision),
    ...(event.previous === null ? {} : { previous: event.previous }),
    recordedat: event.recordedAt,
    digest: event.digest,
    data: event.data,
  };
}

/** Plugin types contain a dot. One that looks like a prefixed type of ours gets the prefix too, so that both can be read back. */
function isOfOthers(type: string): boolean {
  return type.includes('.') && !typePrefix.test(type);
}

/** The content of a CloudEvent under the envelope's names, without the omitted fields. The values are not checked. */
export type Fields = { -readonly [field in keyof RecordedEvent]?: unknown };

export class BadCloudEvent extends IcecoreError {
  override readonly name = 'BadCloudEvent';
  readonly issue: Issue;

  constructor(field: string, found: string, allowed: string) {
    super('bad-input', `CloudEvent, ${field}: found ${found}, allowed: ${allowed}`, {
      facts: { field, found, allowed },
    });
    this.issue = { field, found, allowed };
  }
}

export function isCloudEvent(value: object): boolean {
  return 'specversion' in value;
}

/** Reads a CloudEvent; a null attribute counts as absent. Throws BadCloudEvent. */
export function fromCloudEvent(event: Readonly<Record<string, unknown>>): Fields {
  const fields: Fields = {};
  for (const [name, value] of Object.entries(event)) {
    const read = attributes.get(name);
    if (read === undefined) throw unknownAttribute(name);
    if (value !== null || name === 'data') read(fields, value);
  }
  // An attribute without a value is absent: an event with a revision but without `previous` has no known predecessor.
  if (fields.revision !== undefined && fields.previous === undefined) fields.previous = null;
  return fields;
}

/** Reads one attribute into the fields. */
type Read = (fields: Fields, value: unknown) => void;

function as(field: keyof Fields, convert: (value: unknown) => unknown = (value) => value): Read {
  return (fields, value) => {
    fields[field] = convert(value);
  };
}

const attributes: ReadonlyMap<string, Read> = new Map<string, Read>([
  ['specversion', requireVersion],
  ['id', as('id')],
  ['source', as('actor', decodeSource)],
  ['type', as('type', (type) => textOf('type', type).replace(typePrefix, ''))],
  ['subject', as('stream')],
  ['time', as('at')],
  ['datacontenttype', requireJson],
  // A hint where the schema can be found; the catalogue has its own.
  ['dataschema', () => {}],
  ['data', as('data')],
  ['schemaversion', as('version', integer)],
  ['run', as('run')],
  ['stage', as('stage', integer)],
  ['causes', as('causes', causesOf)],
  ['revision', as('revision', integer)],
  ['previous', as('previous')],
  ['recordedat', as('recordedAt')],
  ['digest', as('digest')],
]);

export function isAttribute(name: string): boolean {
  return attributes.has(name);
}

/** The fields of the envelope whose attribute has another name. */
const renamed: ReadonlyMap<string, string> = new Map([
  ['actor', 'source'],
  ['stream', 'subject'],
  ['at', 'time'],
  ['version', 'schemaversion'],
  ['recordedAt', 'recordedat'],
]);

/** The attribute for a field of the envelope. */
export function attributeOf(field: string): string {
  return renamed.get(field) ?? field;
}

function requireVersion(_fields: Fields, value: unknown): void {
  if (value !== '1.0') throw new BadCloudEvent('specversion', found(value), '"1.0"');
}

function requireJson(_fields: Fields, value: unknown): void {
  if (typeof value === 'string' && /^application\/(?:[\w.+-]+\+)?json\s*(?:;.*)?$/i.test(value)) return;
  throw new BadCloudEvent('datacontenttype', found(value), '"application/json"');
}

/** Some bindings carry every attribute as text. */
function integer(value: unknown): unknown {
  return typeof value === 'string' && /^(?:0|[1-9][0-9]{0,15})$/.test(value) ? Number(value) : value;
}

function causesOf(value: unknown): unknown {
  const text = textOf('causes', value);
  try {
    return parseJson(text);
  } catch {
    throw new BadCloudEvent('causes', found(value), 'a list as JSON text');
  }
}

function textOf(attribute: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw new BadCloudEvent(attribute, found(value), 'a text');
}

function unknownAttribute(name: string): BadCloudEvent {
  if (name === 'data_base64') return new BadCloudEvent(name, 'data as base64', 'data as JSON, in `data`');
  const near = nearest(name, attributes.keys());
  const allowed = near === null ? `the attributes ${[...attributes.keys()].join(', ')}` : `"${near}", perhaps`;
  return new BadCloudEvent(name, `the attribute ${JSON.stringify(name)}`, allowed);
}

/** Characters allowed unescaped in the path of a URI (RFC 3986); all others, including %, are written as %XX. */
const unsafeInPath = /[^A-Za-z0-9\-._~!$&'()*+,;=:@/]/gu;

function encodeSource(actor: string): string {
  return actor.replace(unsafeInPath, (character) => encodeURIComponent(character));
}

function decodeSource(value: unknown): string {
  const source = textOf('source', value);
  try {
    return decodeURIComponent(source);
  } catch {
    throw new BadCloudEvent('source', found(source), 'a URI reference with %XX in UTF-8');
  }
}
