// A server in memory, with logs that fail on demand; the engine is tested with the contract on these.
import { isChained } from '../../../../schemas/streams.ts';
import { skimBody } from '../../stored.ts';
import { BadPosition, OutcomeUnknown, TransientError } from '../errors.ts';
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
} from '../log.ts';

/**
 * The fate of a call: `lost` did not arrive; `unheard` was executed but not answered; `unsure` was not executed, but the caller
 * cannot know. Reads are lost in the same way.
 */
export type Fault = 'none' | 'lost' | 'unheard' | 'unsure';

const pageEvents = 700;
const pageBytes = 2 ** 20;

export class MemoryServer {
  readonly events: FoundEvent[] = [];
  readonly #streams = new Map<string, FoundEvent[]>();
  readonly #isForgetful: boolean;
  #changed = Promise.withResolvers<void>();

  /** A forgetful server does not recognise a repeated append. */
  constructor(isForgetful = false) {
    this.#isForgetful = isForgetful;
  }

  stream(name: string): readonly FoundEvent[] {
    return this.#streams.get(name) ?? [];
  }

  get streams(): readonly string[] {
    return [...this.#streams.keys()].sort();
  }

  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  append(stream: string, events: readonly OutgoingEvent[]): LogAppended {
    const there = this.#streams.get(stream) ?? [];
    const [first] = events;
    if (first === undefined) throw new TypeError('an append of nothing');
    if (first.revision !== there.length) {
      const isRepeated = events.every(({ revision, digest }) => there[revision]?.digest === digest);
      // Like EventStoreDB, it answers a repetition with the position of the first event.
      if (isRepeated && !this.#isForgetful)
        return { kind: 'appended', position: there[first.revision]?.position ?? '' };
      return { kind: 'wrong-end', revision: there.length - 1 };
    }
    for (const { revision, body, digest, recordedMs } of events) {
      const own = skimBody(body);
      if (own?.revision !== there.length || own.revision !== revision || own.stream !== stream) {
        throw new TypeError(`${stream}@${revision} says another place`);
      }
      if (isChained(stream) && own.previous !== (there.at(-1)?.digest ?? null)) {
        throw new TypeError(`${stream}@${revision} is not chained to the event before it`);
      }
      const { id, type } = own;
      const position = String(this.events.length + 1);
      const event = { stream, revision, type, id, recordedMs: recordedMs ?? Date.now(), digest, body, position };
      there.push(event);
      this.events.push(event);
    }
    this.#streams.set(stream, there);
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
    return { kind: 'appended', position: String(this.events.length) };
  }
}

const traits: LogTraits = {
  maxAppendBytes: 1_040_000,
  maxAppendEvents: 1_000,
  eventOverheadBytes: 200,
  attempts: 'open',
};

export interface MemoryLogOptions {
  readonly ledger?: string;
  readonly part?: 'evidence';
  readonly traits?: Partial<LogTraits>;
  /** The fate of each call to append. */
  readonly faultOfAppend?: () => Fault;
  /** Whether a page of a read is lost. */
  readonly losesPage?: () => boolean;
  /** Called just before an append reaches the server. */
  readonly beforeAppend?: (stream: string) => void | Promise<void>;
}

export class MemoryLog implements ServerLog {
  readonly ledger: string;
  readonly part: ServerLog['part'];
  readonly url: string;
  readonly traits: LogTraits;
  /** The names of the calls, in order. */
  readonly calls: string[] = [];
  readonly #server: MemoryServer;
  readonly #options: MemoryLogOptions;

  constructor(server: MemoryServer, options: MemoryLogOptions = {}) {
    this.#server = server;
    this.#options = options;
    this.ledger = options.ledger ?? 'memory';
    this.part = options.part;
    this.url = `memory:${this.ledger}`;
    this.traits = { ...traits, ...options.traits };
  }

  async append(
    stream: string,
    events: readonly OutgoingEvent[],
    { isNew }: { readonly isNew: boolean; readonly signal: AbortSignal },
  ): Promise<LogAppended> {
    this.calls.push(isNew ? 'append new' : 'append');
    const bytes = events.reduce((sum, { body }) => sum + Buffer.byteLength(body) + this.traits.eventOverheadBytes, 0);
    const isTooLarge = events.length > 1 && bytes > this.traits.maxAppendBytes;
    if (isTooLarge || events.length > this.traits.maxAppendEvents) throw new TypeError('the append is too large');
    const fault = this.#options.faultOfAppend?.() ?? 'none';
    await this.#options.beforeAppend?.(stream);
    if (fault === 'lost') throw new TransientError('the call was lost');
    if (fault === 'unsure') throw new OutcomeUnknown('no answer');
    const answer = this.#server.append(stream, events);
    if (fault === 'unheard') throw new OutcomeUnknown('no answer');
    return answer;
  }

  async *readStream(
    stream: string,
    { from, to = Number.MAX_SAFE_INTEGER, backwards = false, limit = Number.MAX_SAFE_INTEGER }: StreamRange,
    signal: AbortSignal,
  ): AsyncGenerator<readonly FoundEvent[]> {
    this.calls.push('readStream');
    signal.throwIfAborted();
    const range = this.#server.stream(stream).filter(({ revision }) => revision >= from && revision <= to);
    yield* this.#pagesOf((backwards ? range.toReversed() : range).slice(0, limit));
  }

  async streams(prefix: string): Promise<readonly LogStream[]> {
    this.calls.push('streams');
    this.#losePage();
    return this.#server.streams
      .filter((stream) => stream.startsWith(prefix))
      .flatMap((stream) => this.#server.stream(stream).at(-1) ?? []);
  }

  async *follow({ after, until, live }: Parameters<ServerLog['follow']>[0], signal: AbortSignal): AsyncGenerator<Page> {
    this.calls.push('follow');
    let place = after === null ? 0 : this.#placeOf(after);
    const end = until === undefined ? this.#server.events.length : this.#placeOf(until);
    for (;;) {
      signal.throwIfAborted();
      const { changed } = this.#server;
      const now = live ? this.#server.events.length : end;
      for (const events of this.#pagesOf(this.#server.events.slice(place, now))) {
        place += events.length;
        yield { events, position: String(place), isCaughtUp: place === now };
      }
      if (!live) return;
      yield { events: [], position: String(place), isCaughtUp: true };
      await Promise.race([changed, abortOf(signal)]);
    }
  }

  async head(): Promise<{ readonly position: Position | null; readonly events: number }> {
    this.calls.push('head');
    const events = this.#server.events.length;
    return { position: events === 0 ? null : String(events), events };
  }

  comparePositions(a: Position, b: Position): 'before' | 'equal' | 'after' {
    const difference = this.#placeOf(a) - this.#placeOf(b);
    return difference === 0 ? 'equal' : difference < 0 ? 'before' : 'after';
  }

  async *faults(): AsyncGenerator<{ readonly where: string; readonly what: string }> {}

  async close(): Promise<void> {}

  *#pagesOf(events: readonly FoundEvent[]): Generator<readonly FoundEvent[]> {
    let page: FoundEvent[] = [];
    let bytes = 0;
    for (const event of events) {
      page.push(event);
      bytes += event.body.length;
      if (page.length < pageEvents && bytes < pageBytes) continue;
      this.#losePage();
      yield page;
      page = [];
      bytes = 0;
    }
    this.#losePage();
    if (page.length > 0) yield page;
  }

  #losePage(): void {
    if (this.#options.losesPage?.() === true) throw new TransientError('the connection was lost');
  }

  #placeOf(position: Position): number {
    if (!/^(?:0|[1-9][0-9]*)$/.test(position)) throw new BadPosition(position, 'it has another form');
    const place = Number(position);
    const { length } = this.#server.events;
    if (place > length) throw new BadPosition(position, `the log ends at ${length}`);
    return place;
  }
}

function abortOf(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
