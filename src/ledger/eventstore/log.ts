// The log of a ledger in EventStoreDB, through the client's documented calls: appending at an exact revision, reading a stream,
// following $all. The list of streams is in a directory on this machine (directory.ts).
import {
  MaxAppendSizeExceededError,
  NotLeaderError,
  StreamNotFoundError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { IcecoreError } from '../../../schemas/errors.ts';
import { isChained, parseStream } from '../../../schemas/streams.ts';
import type { AuditOptions, StoreFault } from '../ledger.ts';
import { BadPosition, OutcomeUnknown, TransientError, WouldLoseHistory } from '../remote/errors.ts';
import {
  type FoundEvent,
  inPages,
  type LogAppended,
  type LogStream,
  type LogTraits,
  type OutgoingEvent,
  type Page,
  type Position,
  type ServerLog,
  type StreamRange,
} from '../remote/log.ts';
import { endOfAll, eventsAfter } from './all-stream.ts';
import { type Connection, failureOf, streamDeleted } from './connection.ts';
import { Directory } from './directory.ts';
import { type Arrived, arrivedOf, compare, deleted, positionText, proposalOf, settingsOf } from './wire.ts';

export interface Identity {
  readonly ledger: string;
  readonly part: ServerLog['part'];
  /** Its position; the ledger has no events before it. */
  readonly origin: Position;
}

export class EventStoreLog implements ServerLog {
  readonly ledger: string;
  readonly part: ServerLog['part'];
  readonly url: string;
  readonly traits: LogTraits = {
    // The server accepts 1 MiB at once and counts the metadata, which repeat a few fields.
    maxAppendBytes: 2 ** 20 - 4_096,
    maxAppendEvents: 1_000,
    eventOverheadBytes: 512,
    attempts: 'open',
  };
  readonly #connection: Connection;
  readonly #origin: Position;
  readonly #directory: Directory;

  constructor(connection: Connection, url: string, { ledger, part, origin }: Identity, directory: string) {
    this.ledger = ledger;
    this.part = part;
    this.url = url;
    this.#connection = connection;
    this.#origin = origin;
    this.#directory = new Directory(connection, directory, (last, signal) => this.#isThere(last, signal));
  }

  async append(
    stream: string,
    events: readonly OutgoingEvent[],
    { isNew }: { readonly isNew: boolean },
  ): Promise<LogAppended<Position | null>> {
    const name = this.#connection.names.onServer(stream);
    if (!isNew) await this.#requireKept(name);
    const first = events[0]?.revision ?? 0;
    const expectedRevision = first === 0 ? 'no_stream' : BigInt(first - 1);
    const proposals = events.map(proposalOf);
    try {
      const { success, nextExpectedRevision, position } = await this.#connection.ask((client, options) =>
        client.appendToStream(name, proposals, { ...options, expectedRevision }),
      );
      if (!success) return { kind: 'wrong-end', revision: Number(nextExpectedRevision) };
      return { kind: 'appended', position: position === undefined ? null : positionText(position) };
    } catch (error) {
      if (error instanceof WrongExpectedVersionError) {
        const { actualVersion } = error;
        return { kind: 'wrong-end', revision: typeof actualVersion === 'bigint' ? Number(actualVersion) : -1 };
      }
      if (error instanceof MaxAppendSizeExceededError) {
        const bytes = events.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
        throw new IcecoreError('storage', `EventStoreDB refuses an append of about ${bytes} bytes to ${name}`, {
          name: 'AppendTooLarge',
          facts: { stream: name, bytes },
          cause: error,
          remedy: 'Set MaxAppendSize of the server to its default of 1 MiB (1048576), or more.',
        });
      }
      const isUnknown = error instanceof TransientError && !(error.cause instanceof NotLeaderError);
      throw isUnknown ? new OutcomeUnknown(error.message, { cause: error }) : error;
    }
  }

  readStream(stream: string, range: StreamRange, signal: AbortSignal): AsyncGenerator<readonly FoundEvent[]> {
    return inPages(this.#events(stream, range, signal));
  }

  async *#events(
    stream: string,
    { from, to = Number.MAX_SAFE_INTEGER, backwards = false, limit = Number.MAX_SAFE_INTEGER }: StreamRange,
    signal: AbortSignal,
  ): AsyncGenerator<FoundEvent> {
    const { client, options, names, quietMs } = this.#connection;
    const name = names.onServer(stream);
    const fromEnd = to === Number.MAX_SAFE_INTEGER ? 'end' : BigInt(Math.max(to, 0));
    const range = backwards
      ? ({ direction: 'backwards', fromRevision: fromEnd } as const)
      : { fromRevision: BigInt(from), maxCount: Math.min(to - from + 1, Number.MAX_SAFE_INTEGER) };
    const read = client.readStream(name, { ...options, ...range });
    // Once the last record is taken, nothing listens to the connection any more.
    read.on('error', () => {});
    const records = read[Symbol.asyncIterator]();
    let [left, isFirst] = [limit, true];
    try {
      for (;;) {
        signal.throwIfAborted();
        const quiet = setTimeout(() => read.destroy(new TransientError('the server is silent')), quietMs);
        const { value, done } = await records.next().finally(() => clearTimeout(quiet));
        if (done === true) return;
        const record: Arrived | null = value.event === undefined ? null : arrivedOf(value.event, names);
        if (record === null || record.kind === 'settings') continue;
        const { revision } = record.kind === 'event' ? record.event : record;
        if (isFirst && !backwards && revision > from && isChained(stream)) await this.#refuseGap(name, revision);
        isFirst = false;
        if (revision < from) return;
        // A range may end within a batch that the server has already sent.
        if (revision > to || record.kind !== 'event') continue;
        yield record.event;
        if (--left === 0) return;
      }
    } catch (error) {
      // The server does not find deleted streams, even those that can be written again.
      if (error instanceof StreamNotFoundError) return await this.#requireKept(name, true);
      signal.throwIfAborted();
      throw failureOf(error);
    } finally {
      void read.cancel().catch(() => {});
    }
  }

  async streams(prefix: string, signal: AbortSignal): Promise<readonly LogStream[]> {
    return (await this.#directory.toNow(signal)).streams(prefix);
  }

  async *follow({ after, until, live }: Parameters<ServerLog['follow']>[0], signal: AbortSignal): AsyncGenerator<Page> {
    const now = await endOfAll(this.#connection);
    this.#requireReached(after, now);
    this.#requireReached(until ?? null, now);
    const end = until ?? now;
    if (!live && after !== null && compare(after, end) >= 0) return;
    for await (const { arrived, position, isCaughtUp } of eventsAfter(this.#connection, { after, end, live }, signal)) {
      const events = arrived.flatMap((one) => (one.kind === 'event' ? [one.event] : []));
      yield { events, position, isCaughtUp };
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
    for (const { stream, revision, why } of wholly || run !== null ? state.foreign : []) {
      const name = parseStream(stream);
      if (run !== null && !(name !== null && 'run' in name && name.run === run)) continue;
      const advice = `Let other programs write to no stream whose name begins with "${this.#connection.names.onServer('')}"`;
      const what = `another program wrote this record: ${why}. Reading skips it, and no event is lost. ${advice}`;
      yield { where: `${stream}@${revision}`, what };
    }
    for (const [stream, what] of state.losing) {
      yield { where: stream, what: `the server does not keep all of it: ${what}` };
    }
    for (const [where, what] of state.gaps) yield { where, what: `${what}: events were removed` };
    if (!wholly) return;
    for (const { stream } of state.streams('')) {
      const name = this.#connection.names.onServer(stream);
      if (state.losing.has(name)) continue;
      const first = Number((await this.#connection.record(name, 'first'))?.revision ?? 0);
      if (first > 0) yield { where: name, what: `begins at revision ${first}: events were removed` };
    }
  }

  async foreignIn(stream: string, signal: AbortSignal): Promise<ReadonlySet<number>> {
    const { foreign } = await this.#directory.toNow(signal);
    return new Set(foreign.filter((one) => one.stream === stream).map(({ revision }) => revision));
  }

  async close(): Promise<void> {
    this.#directory.close();
    this.#connection.close();
  }

  /** Throws BadPosition for a position that this ledger cannot have returned. */
  #requireReached(position: Position | null, end: Position): void {
    if (position === null) return;
    if (compare(position, this.#origin) < 0) throw new BadPosition(position, 'the ledger begins after it');
    if (compare(position, end) > 0) throw new BadPosition(position, `the server ends at ${end}`);
  }

  async #refuseGap(name: string, revision: number): Promise<never> {
    await this.#requireKept(name, true);
    const what = `it begins at revision ${revision}: events were removed before they were read`;
    const remedy = 'Restore the ledger from a copy, to another prefix: `icecore doctor` lists what is missing.';
    throw new WouldLoseHistory(name, what, remedy);
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

  /** Refuses to write where the server would remove events. */
  async #requireKept(name: string, again = false): Promise<void> {
    const { names, losing } = this.#connection;
    let what = again ? undefined : losing.get(name);
    if (what === undefined) {
      const record = await this.#connection.record(settingsOf(name), 'last');
      const settings = record === null ? null : arrivedOf(record, names);
      what = settings?.kind === 'settings' ? settings.losing : null;
      if (what === null) losing.set(name, what);
    }
    if (what === null) return;
    if (what === deleted) throw streamDeleted(name);
    const [setting = ''] = what.split(' ');
    const remedy = `Set the metadata of ${name} without ${setting}, before the next scavenge of the server removes the hidden events.`;
    throw new WouldLoseHistory(name, what, remedy);
  }
}
