// The log of a ledger in EventStoreDB, through the client's documented calls: appending at an exact revision, reading a stream,
// following $all. The list of streams is in a directory on this machine (directory.ts).
import {
  type EventStoreDBClient,
  MaxAppendSizeExceededError,
  StreamDeletedError,
  StreamNotFoundError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { isChained, parseStream } from '../../../schemas/streams.ts';
import { maxEventBytes } from '../event.ts';
import type { AuditOptions, StoreFault } from '../ledger.ts';
import { BadPosition, OutcomeUnknown, TransientError, WouldLoseHistory } from '../remote/errors.ts';
import type {
  FoundEvent,
  LogAppended,
  LogStream,
  LogTraits,
  OutgoingEvent,
  Page,
  Position,
  ServerLog,
  StreamRange,
} from '../remote/log.ts';
import { type ArrivedPage, endOfAll, eventsAfter } from './all-stream.ts';
import { type Connection, failureOf, isBadPosition, NotLeader } from './connection.ts';
import { Directory } from './directory.ts';
import { appendTooLarge, streamDeleted } from './errors.ts';
import { type Arrived, arrivedOf, compare, positionText, proposalOf, type StreamNames } from './wire.ts';

const pageEvents = 500;
const pageCharacters = 2 ** 20;
/** The number of streams for which the session remembers that the server keeps their events. */
const mostKept = 10_000;

export interface EventStoreLogOptions {
  readonly ledger: string;
  readonly part: ServerLog['part'];
  readonly url: string;
  /** The position of the ledger's identity; the ledger has no events before it. */
  readonly origin: Position;
  /** Where the directory is saved. */
  readonly path: string;
}

export class EventStoreLog implements ServerLog {
  readonly ledger: string;
  readonly part: ServerLog['part'];
  readonly url: string;
  readonly traits: LogTraits = {
    maxEventBytes,
    // The server accepts 1 MiB at once and counts the metadata, which repeat a few fields.
    maxAppendBytes: 2 ** 20 - 4_096,
    maxAppendEvents: 1_000,
    eventOverheadBytes: 512,
    attempts: 'open',
  };
  readonly #connection: Connection;
  readonly #names: StreamNames;
  readonly #origin: Position;
  readonly #directory: Directory;
  readonly #kept = new Set<string>();
  /** Settings of streams that followers have seen. */
  readonly #heard = new Map<string, string | null>();

  constructor(connection: Connection, names: StreamNames, { ledger, part, url, origin, path }: EventStoreLogOptions) {
    this.ledger = ledger;
    this.part = part;
    this.url = url;
    this.#connection = connection;
    this.#names = names;
    this.#origin = origin;
    this.#directory = new Directory(connection, names, path, (last, signal) => this.#isThere(last, signal));
  }

  async append(
    stream: string,
    events: readonly OutgoingEvent[],
    { isNew, signal }: { readonly isNew: boolean; readonly signal: AbortSignal },
  ): Promise<LogAppended> {
    const name = this.#names.onServer(stream);
    if (!isNew) await this.#requireKept(name);
    const first = events[0]?.revision ?? 0;
    const expectedRevision = first === 0 ? 'no_stream' : BigInt(first - 1);
    const proposals = events.map(proposalOf);
    try {
      const { success, nextExpectedRevision, position } = await this.#connection.ask((client, options) =>
        client.appendToStream(name, proposals, { ...options, expectedRevision }),
      );
      if (!success) return { kind: 'wrong-end', revision: Number(nextExpectedRevision) };
      if (position !== undefined) return { kind: 'appended', position: positionText(position) };
    } catch (error) {
      if (error instanceof WrongExpectedVersionError) return { kind: 'wrong-end', revision: revisionIn(error) };
      if (error instanceof StreamDeletedError) throw streamDeleted(name);
      if (error instanceof MaxAppendSizeExceededError) {
        const bytes = events.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
        throw appendTooLarge(name, bytes, error);
      }
      const isUnknown = error instanceof TransientError && !(error instanceof NotLeader);
      throw isUnknown ? new OutcomeUnknown(error.message, { cause: error }) : error;
    }
    // For an event that it stored earlier, the server may return no position.
    const last = first + events.length - 1;
    for await (const [event] of this.readStream(stream, { from: last, to: last }, signal)) {
      if (event !== undefined) return { kind: 'appended', position: event.position };
    }
    throw new OutcomeUnknown('the server does not return what it stored');
  }

  async *readStream(
    stream: string,
    { from, to = Number.MAX_SAFE_INTEGER, backwards = false, limit = Number.MAX_SAFE_INTEGER }: StreamRange,
    signal: AbortSignal,
  ): AsyncGenerator<readonly FoundEvent[]> {
    let page: FoundEvent[] = [];
    let characters = 0;
    let left = limit;
    let isFirst = true;
    const range = backwards
      ? ({
          direction: 'backwards',
          fromRevision: to === Number.MAX_SAFE_INTEGER ? 'end' : BigInt(Math.max(to, 0)),
        } as const)
      : { fromRevision: BigInt(from), maxCount: Math.min(to - from + 1, Number.MAX_SAFE_INTEGER) };
    for await (const record of this.#records(stream, range, signal)) {
      const { revision } = record.kind === 'event' ? record.event : record;
      if (isFirst && !backwards && revision > from && isChained(stream)) await this.#refuseGap(stream, revision);
      isFirst = false;
      if (revision < from) break;
      // A range may end within a batch that the server has already sent.
      if (revision > to || record.kind !== 'event') continue;
      page.push(record.event);
      characters += record.event.body.length;
      if (--left === 0) break;
      if (page.length < pageEvents && characters < pageCharacters) continue;
      yield page;
      [page, characters] = [[], 0];
    }
    if (page.length > 0) yield page;
  }

  async streams(prefix: string, signal: AbortSignal): Promise<readonly LogStream[]> {
    return (await this.#directory.toNow(signal)).streams(prefix);
  }

  async *follow({ after, until, live }: Parameters<ServerLog['follow']>[0], signal: AbortSignal): AsyncGenerator<Page> {
    const now = (await endOfAll(this.#connection)) ?? '0';
    this.#requireReached(after, now);
    this.#requireReached(until ?? null, now);
    const end = until ?? now;
    if (!live && after !== null && compare(after, end) >= 0) return;
    const pages = (from: Position | null): AsyncGenerator<Page> => {
      const read = eventsAfter(this.#connection, this.#names, { after: from, end, live }, signal);
      return this.#pagesOf(read, after);
    };
    try {
      yield* pages(after);
    } catch (error) {
      if (after === null || !isBadPosition(error)) throw error;
      // The position belonged to a removed event of another program; the ledger is read from the beginning to find what follows.
      yield* pages(null);
    }
  }

  async head(signal: AbortSignal): Promise<{ readonly position: Position | null; readonly events: number }> {
    const { last, events } = await this.#directory.toNow(signal);
    return { position: last?.position ?? null, events };
  }

  comparePositions(a: Position, b: Position): 'before' | 'equal' | 'after' {
    const difference = compare(a, b);
    return difference === 0 ? 'equal' : difference < 0 ? 'before' : 'after';
  }

  async *faults(
    { wholly, run }: Pick<Required<AuditOptions>, 'wholly' | 'run'>,
    signal: AbortSignal,
  ): AsyncGenerator<StoreFault> {
    const state = await this.#directory.toNow(signal);
    for (const { stream, revision, why } of wholly || run !== null ? state.foreign() : []) {
      const name = parseStream(stream);
      if (run !== null && !(name !== null && 'run' in name && name.run === run)) continue;
      const advice = `Let other programs write to no stream whose name begins with "${this.#names.onServer('')}"`;
      const what = `another program wrote this record: ${why}. Reading skips it, and no event is lost. ${advice}`;
      yield { where: `${stream}@${revision}`, what };
    }
    for (const [stream, what] of state.losing) {
      yield { where: stream, what: `the server does not keep all of it: ${what}` };
    }
    for (const [where, what] of state.gaps) yield { where, what: `${what}: events were removed` };
    if (!wholly) return;
    for (const { stream } of state.streams('')) {
      const name = this.#names.onServer(stream);
      if (state.losing.has(name)) continue;
      const first = Number((await this.#connection.first(name))?.revision ?? 0);
      if (first > 0) yield { where: name, what: `begins at revision ${first}: events were removed` };
    }
  }

  async foreignIn(stream: string, signal: AbortSignal): Promise<ReadonlySet<number>> {
    return new Set((await this.#directory.toNow(signal)).foreign(stream).map(({ revision }) => revision));
  }

  async close(): Promise<void> {
    this.#directory.close();
    this.#connection.close();
  }

  async *#pagesOf(read: AsyncIterable<ArrivedPage>, after: Position | null): AsyncGenerator<Page> {
    const isAfter = (position: Position): boolean => after === null || compare(position, after) > 0;
    for await (const { arrived, position, isCaughtUp } of read) {
      const events: FoundEvent[] = [];
      for (const one of arrived) {
        if (one.kind === 'settings') this.#heard.set(one.of, one.losing);
        if (!isAfter(one.position)) continue;
        if (one.kind === 'event') events.push(one.event);
      }
      yield { events, position: isAfter(position) ? position : (after ?? position), isCaughtUp };
    }
  }

  /** Throws BadPosition for a position that this ledger cannot have returned. */
  #requireReached(position: Position | null, end: Position): void {
    if (position === null) return;
    if (compare(position, this.#origin) < 0) throw new BadPosition(position, 'the ledger begins after it');
    if (compare(position, end) > 0) throw new BadPosition(position, `the server ends at ${end}`);
  }

  async #refuseGap(stream: string, revision: number): Promise<never> {
    const name = this.#names.onServer(stream);
    await this.#requireKept(name, true);
    throw removed(name, revision);
  }

  /** The records of an existing stream. */
  async *#records(
    stream: string,
    range: Parameters<EventStoreDBClient['readStream']>[1],
    signal: AbortSignal,
  ): AsyncGenerator<OwnRecord> {
    const { client, options } = this.#connection;
    const name = this.#names.onServer(stream);
    const read = client.readStream(name, { ...options, ...range });
    // Once the last record is taken, nothing listens to the connection any more.
    read.on('error', () => {});
    const records = read[Symbol.asyncIterator]();
    try {
      for (;;) {
        signal.throwIfAborted();
        const quiet = setTimeout(
          () => read.destroy(new TransientError('the server is silent')),
          this.#connection.quietMs,
        );
        const { value, done } = await records.next().finally(() => clearTimeout(quiet));
        if (done === true) return;
        const arrived: Arrived | null = value.event === undefined ? null : arrivedOf(value.event, this.#names);
        if (arrived !== null && arrived.kind !== 'settings') yield arrived;
      }
    } catch (error) {
      // The server does not find deleted streams, even those that can be written again.
      if (error instanceof StreamNotFoundError) return await this.#requireKept(name, true);
      if (error instanceof StreamDeletedError) throw streamDeleted(name);
      signal.throwIfAborted();
      throw failureOf(error);
    } finally {
      void read.cancel().catch(() => {});
    }
  }

  /** Reports events hidden by the settings of a stream as such, and not as missing. */
  async #isThere({ stream, revision, digest }: LogStream, signal: AbortSignal): Promise<boolean> {
    try {
      for await (const [event] of this.readStream(stream, { from: revision, to: revision }, signal)) {
        return event?.digest === digest;
      }
      return false;
    } catch (error) {
      if (error instanceof WouldLoseHistory) return true;
      throw error;
    }
  }

  /** Refuses to write where the server would remove events. Checked once per stream; followers see later changes. */
  async #requireKept(name: string, again = false): Promise<void> {
    const heard = this.#heard.get(name) ?? this.#directory.losing(name);
    if (heard !== null) throw losing(name, heard);
    if (this.#kept.has(name) && !again) return;
    try {
      const { metadata } = await this.#connection.ask((client, options) => client.getStreamMetadata(name, options));
      const { maxCount, maxAge, truncateBefore } = metadata ?? {};
      if (maxCount !== undefined) throw losing(name, `$maxCount is ${maxCount}`);
      if (maxAge !== undefined) throw losing(name, `$maxAge is ${maxAge}`);
      if (truncateBefore !== undefined) throw losing(name, `$tb is ${truncateBefore}`);
    } catch (error) {
      if (error instanceof StreamDeletedError) throw streamDeleted(name);
      throw error;
    }
    if (this.#kept.size >= mostKept) this.#kept.clear();
    this.#kept.add(name);
  }
}

type OwnRecord = Exclude<Arrived, { kind: 'settings' }>;

function revisionIn({ actualVersion }: WrongExpectedVersionError): number {
  return typeof actualVersion === 'bigint' ? Number(actualVersion) : -1;
}

function losing(name: string, what: string): WouldLoseHistory {
  if (what === 'it was deleted') return streamDeleted(name);
  const [setting = ''] = what.split(' ');
  const remedy = `Set the metadata of ${name} without ${setting}, before the next scavenge of the server removes the hidden events.`;
  return new WouldLoseHistory(name, what, remedy);
}

function removed(name: string, revision: number): WouldLoseHistory {
  const what = `it begins at revision ${revision}: events were removed before they were read`;
  const remedy = 'Restore the ledger from a copy, to another prefix: `icecore doctor` lists what is missing.';
  return new WouldLoseHistory(name, what, remedy);
}
