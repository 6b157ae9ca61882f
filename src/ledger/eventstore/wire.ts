// An event on the server: its type and id are the server's, its data the canonical JSON that was hashed, so that the server's
// own pages and projections can read it; its metadata have the digest and what the server knows as correlation and causation.
import type streams from '@eventstore/db-client/generated/streams_pb.js';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { parseJson } from '../../../schemas/json-text.ts';
import type { Proposed } from './messages.ts';
import { type StreamNames, settingsOf } from './streams.ts';

export interface Outgoing {
  readonly body: string;
  readonly digest: string;
  readonly event: Pick<NewEvent, 'id' | 'type' | 'run' | 'causes'>;
  /** Null: now, by the server's clock. */
  readonly recordedMs: number | null;
}

/** An event of the ledger, as it lies in the server's log. */
export interface Arrived {
  readonly kind: 'event';
  readonly position: number;
  readonly serverId: string;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  /** 32 hexadecimal digits. */
  readonly id: string;
  readonly recordedMs: number;
  readonly digest: string;
  readonly body: string;
}

/** What the server is to keep of a stream; its name as the server has it. */
export interface Settings {
  readonly kind: 'settings';
  readonly position: number;
  readonly serverId: string;
  readonly of: string;
  /** In words; null where it keeps everything. */
  readonly losing: string | null;
}

/** None of the ledger's business, but that much was read. */
export interface Other {
  readonly kind: 'other';
  readonly position: number;
  readonly serverId: string;
}

export type Found = Arrived | Settings | Other;

interface Metadata {
  /** The event's own; the server has another. */
  readonly id: string;
  readonly digest: string;
  /** Only where it is not when the server wrote it. */
  readonly recordedAt?: string;
  readonly $correlationId?: string;
  readonly $causationId?: string;
}

export function proposedOf({ body, digest, event, recordedMs }: Outgoing): Proposed {
  const { id, type, run, causes } = event;
  const cause = causes.find((one) => 'event' in one);
  const metadata: Metadata = {
    id,
    digest,
    ...(recordedMs === null ? {} : { recordedAt: new Date(recordedMs).toISOString() }),
    ...(run === null ? {} : { $correlationId: run }),
    ...(cause === undefined ? {} : { $causationId: cause.event }),
  };
  return { id: idOnServer(digest), type, data: Buffer.from(body), metadata: Buffer.from(JSON.stringify(metadata)) };
}

/**
 * What the server takes for the same event it stores once and calls a success, by the id alone. So its id is made of all that was
 * hashed: another content under the same id of ours is another event there.
 */
export function idOnServer(digest: string): string {
  const [, first, second, third, fourth, fifth] = /^(.{8})(.{4}).(.{3}).(.{3})(.{12})/.exec(digest) ?? [];
  return `${first}-${second}-8${third}-8${fourth}-${fifth}`;
}

/** What the server counts of an event when it looks whether an append is too large, or a little more. */
export function bytesOf({ type, data, metadata }: Proposed): number {
  return data.length + metadata.length + 2 * type.length + 64;
}

/** Of what others wrote, which says none. */
export const noDigest: string = '0'.repeat(64);
const deletedType = '$streamDeleted';

/** The event in an answer of the server; null where it holds none. */
export function foundIn(answer: streams.ReadResp, names: StreamNames): Found | null {
  const event = answer.getEvent()?.getEvent();
  if (event === undefined) return null;
  const position = Number(event.getCommitPosition());
  const serverId = plainId(event.getId()?.getString());
  const name = textIn(event.getStreamIdentifier()?.getStreamName_asU8());
  const settings = settingsOf(name);
  if (settings !== null)
    return { kind: 'settings', position, serverId, of: settings, losing: losingIn(textIn(event.getData_asU8())) };
  const system = event.getMetadataMap();
  const type = system.get('type') ?? '';
  if (type === deletedType) return { kind: 'settings', position, serverId, of: name, losing: 'it was deleted' };
  const stream = names.inLedger(name);
  if (stream === null) return { kind: 'other', position, serverId };
  const { id, digest, recordedAt } = metadataIn(textIn(event.getCustomMetadata_asU8()));
  const recordedMs = typeof recordedAt === 'string' ? Date.parse(recordedAt) : Number.NaN;
  return {
    kind: 'event',
    position,
    serverId,
    stream,
    revision: Number(event.getStreamRevision()),
    type,
    id: typeof id === 'string' && uuidPattern.test(id) ? plainId(id) : serverId,
    recordedMs: Number.isNaN(recordedMs) ? createdMs(system.get('created')) : recordedMs,
    digest: typeof digest === 'string' && digestPattern.test(digest) ? digest : noDigest,
    body: textIn(event.getData_asU8()),
  };
}

const digestPattern = /^[0-9a-f]{64}$/;
const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** 32 hexadecimal digits. */
export function plainId(id: string | undefined): string {
  return (id ?? '').replaceAll('-', '').toLowerCase();
}

function textIn(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? '' : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}

/** The server counts tenths of a microsecond since 1970. */
function createdMs(ticks: string | undefined): number {
  return Math.floor(Number(ticks ?? 0) / 10_000);
}

function metadataIn(text: string): Readonly<Partial<Record<keyof Metadata, unknown>>> {
  const value = parsed(text);
  return typeof value === 'object' && value !== null ? value : {};
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

/** The settings by which a server removes events, as it writes them. */
const removing = ['$maxCount', '$maxAge', '$tb'] as const;

function losingIn(text: string): string | null {
  const data = parsed(text);
  if (typeof data !== 'object' || data === null) return null;
  const settings = data as Readonly<Record<string, unknown>>;
  const found = removing.filter((name) => settings[name] !== undefined);
  return found.length === 0 ? null : found.map((name) => `${name} is ${String(settings[name])}`).join(', ');
}
