// The form of an event on the server, where other programs read it: its type is ours, its data are the event's data, and its
// metadata contain the rest of the envelope, the digest, and the server's correlation and causation ids. The canonical JSON is
// reconstructed on reading, and a record is an event of the ledger only if the digest matches.
import type { JSONEventData, RecordedEvent, Position as ServerPosition } from '@eventstore/db-client';
import { canonicalJson } from '../../../schemas/canonical.ts';
import { isObject, parseJson } from '../../../schemas/json-text.ts';
import { categories, streamPattern } from '../../../schemas/streams.ts';
import { sha256 } from '../identity/ids.ts';
import { BadPosition } from '../remote/errors.ts';
import type { FoundEvent, OutgoingEvent, Position } from '../remote/log.ts';

/**
 * The names of streams on the server: the prefix of the ledger, a dot, and the stream. For the server, the part up to the first
 * dash is the category.
 */
export class StreamNames {
  readonly #before: string;
  /** Matches all streams of the ledger, and their settings. */
  readonly prefixes: readonly string[];
  /** The stream with the ledger's identity. */
  readonly identity: string;

  constructor(prefix: string) {
    this.#before = `${prefix}.`;
    this.identity = `${this.#before}ledger`;
    const own = [...categories.map((category) => `${this.#before}${category}-`), this.identity];
    this.prefixes = own.flatMap((name) => [name, settingsOf(name)]);
  }

  onServer(stream: string): string {
    return `${this.#before}${stream}`;
  }

  /** Null: not a stream of the ledger. */
  inLedger(name: string): string | null {
    if (!name.startsWith(this.#before)) return null;
    const stream = name.slice(this.#before.length);
    return streamPattern.test(stream) ? stream : null;
  }
}

/** The used part of a record from the client. */
export type ServerRecord = Pick<RecordedEvent, 'streamId' | 'revision' | 'type' | 'created' | 'position'> & {
  readonly data: unknown;
  readonly metadata: unknown;
};

/** A record of the ledger's streams. */
export type Arrived = { readonly position: Position } & (
  | { readonly kind: 'event'; readonly event: FoundEvent }
  /** A record of another program; `why` it is not an event of the ledger. */
  | { readonly kind: 'foreign'; readonly stream: string; readonly revision: number; readonly why: string }
  /** The retention settings of a stream, by its name on the server; `losing` is why it would remove events. */
  | { readonly kind: 'settings'; readonly of: string; readonly losing: string | null }
);

export function proposalOf({ body, digest, recordedMs }: OutgoingEvent): JSONEventData {
  const { data, stream: _, revision: __, type, ...rest } = parseJson(body) as Readonly<Record<string, unknown>>;
  const causes = rest['causes'] as readonly { readonly event?: string }[];
  const cause = causes.find(({ event }) => event !== undefined)?.event;
  const metadata = {
    ...rest,
    digest,
    ...(recordedMs === null ? {} : { recordedAt: new Date(recordedMs).toISOString() }),
    ...(rest['run'] === null ? {} : { $correlationId: rest['run'] }),
    ...(cause === undefined ? {} : { $causationId: cause }),
  };
  const id = idOnServer(digest);
  return { id, contentType: 'application/json', type: String(type), data: data as JSONEventData['data'], metadata };
}

/**
 * The server treats events with the same id as equal without comparing them, so the id on the server is derived from the
 * digest: other content under the same icecore id is a different event there.
 */
export function idOnServer(digest: string): string {
  const [, first, second, third, fourth, fifth] = /^(.{8})(.{4}).(.{3}).(.{3})(.{12})/.exec(digest) ?? [];
  return `${first}-${second}-8${third}-8${fourth}-${fifth}`;
}

const settingsBefore = '$$';

/** The settings of a stream are in a separate stream. */
export function settingsOf(name: string): string {
  return settingsBefore + name;
}

/** Why a stream that was deleted for ever keeps nothing. */
export const deleted = 'it was deleted';

/** Null for a record outside the ledger's streams. */
export function arrivedOf(record: ServerRecord, names: StreamNames): Arrived | null {
  const position = positionText(record.position);
  if (record.streamId.startsWith(settingsBefore)) {
    const of = record.streamId.slice(settingsBefore.length);
    return { kind: 'settings', position, of, losing: losingIn(record.data) };
  }
  if (record.type === '$streamDeleted') return { kind: 'settings', position, of: record.streamId, losing: deleted };
  const stream = names.inLedger(record.streamId);
  if (stream === null) return null;
  const revision = Number(record.revision);
  const event = eventIn(record, stream, revision, position);
  if (typeof event !== 'string') return { kind: 'event', position, event };
  return { kind: 'foreign', position, stream, revision, why: event };
}

/** The event, or why it is not an event of the ledger. */
function eventIn(
  { type, created, data, metadata }: ServerRecord,
  stream: string,
  revision: number,
  position: Position,
): FoundEvent | string {
  const { digest, recordedAt, ...rest } = isObject(metadata) ? metadata : {};
  if (typeof digest !== 'string') return 'it has no digest of icecore';
  const envelope = Object.fromEntries(Object.entries(rest).filter(([name]) => !name.startsWith('$')));
  const body = canonicalOf({ ...envelope, data, revision, stream, type });
  const id = rest['id'];
  if (body === null || typeof id !== 'string' || sha256(body) !== digest)
    return 'its digest does not match its content';
  const copiedMs = typeof recordedAt === 'string' ? Date.parse(recordedAt) : Number.NaN;
  const recordedMs = Number.isNaN(copiedMs) ? created.getTime() : copiedMs;
  return { stream, revision, type, id, recordedMs, digest, body, position };
}

function canonicalOf(value: unknown): string | null {
  try {
    return canonicalJson(value);
  } catch {
    return null;
  }
}

/** Settings that let a server remove events, in the server's notation. */
const removing = ['$maxCount', '$maxAge', '$tb'] as const;

function losingIn(data: unknown): string | null {
  if (!isObject(data)) return null;
  const found = removing.filter((name) => data[name] !== undefined);
  return found.length === 0 ? null : found.map((name) => `${name} is ${String(data[name])}`).join(', ');
}

/** A position as text. An event has equal prepare and commit positions; for a position between events they may differ. */
export function positionText(position: ServerPosition | undefined): Position {
  // Without a position, the server returns the largest number.
  if (position === undefined || position.commit > 2n ** 63n)
    throw new TypeError('the server returned no position of an event');
  const { commit, prepare } = position;
  return commit === prepare ? `${commit}` : `${commit}/${prepare}`;
}

/** Throws BadPosition. */
export function serverPosition(position: Position): ServerPosition {
  const [, commit, prepare] = /^([0-9]{1,19})(?:\/([0-9]{1,19}))?$/.exec(position) ?? [];
  if (commit === undefined) throw new BadPosition(position, 'it has another form');
  return { commit: BigInt(commit), prepare: BigInt(prepare ?? commit) };
}

export function compare(a: Position, b: Position): number {
  const [first, second] = [serverPosition(a), serverPosition(b)];
  const difference = first.commit - second.commit || first.prepare - second.prepare;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

export function laterOf(a: Position, b: Position): Position {
  return compare(a, b) < 0 ? b : a;
}
