// Bringing the mirror up to what the server has. The server is asked where its log ends; where the mirror has not come so far,
// what lies between is read by a subscription to the streams of the ledger, until the server says that it has caught up.
import { Stumble } from '../remote/stumble.ts';
import { unlessAborted } from '../remote/unless-aborted.ts';
import type { SteadyClient } from './client.ts';
import type { Connection } from './connection.ts';
import { EventStoreAway } from './errors.ts';
import { failureOf, isMisplaced, stumbleOf } from './failures.ts';
import { History } from './history.ts';
import { Incoming } from './incoming.ts';
import type { LogPlace } from './mirror/admitting.ts';
import type { Mirror } from './mirror/mirror.ts';
import type { StreamNames } from './streams.ts';
import { type Arrived, plainId } from './wire.ts';

/** A subscription that is quiet for so long while it is to catch up has been forgotten. */
const quietMs = 10_000;

export class CatchingUp {
  readonly #connection: Connection;
  readonly #mirror: Mirror;
  readonly #names: StreamNames;
  /** Of the ledger: who has one way is not alone on it. */
  readonly #lifetime: AbortSignal;
  readonly #history: History;
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;

  constructor(connection: Connection, mirror: Mirror, names: StreamNames, lifetime: AbortSignal) {
    this.#lifetime = lifetime;
    this.#connection = connection;
    this.#history = new History(connection, mirror);
    this.#mirror = mirror;
    this.#names = names;
  }

  /** Everything that was acknowledged before this call is in the mirror when it is done. Those who ask at once share one way. */
  async toNow(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await unlessAborted(this.#running === null ? this.#run() : this.#runAfter(this.#running), signal);
  }

  /** What is under way may have asked where the log ends before this call. */
  #runAfter(running: Promise<void>): Promise<void> {
    this.#next ??= running
      .catch(() => {})
      .then(() => {
        this.#next = null;
        return this.#run();
      });
    return this.#next;
  }

  #run(): Promise<void> {
    const run = this.#connection.patiently(() => this.#once(), this.#lifetime);
    this.#running = run;
    const over = (): void => {
      if (this.#running === run) this.#running = null;
    };
    run.then(over, over);
    return run;
  }

  /** The server has what the mirror has. Throws HistoryShrank. */
  async proven(): Promise<void> {
    await this.#connection.patiently(() => this.#history.require(), this.#lifetime);
  }

  async #once(): Promise<void> {
    await this.#history.require();
    const client = this.#connection.client();
    const end = await this.#connection.once(endOfLog);
    if (end.position <= this.#mirror.progress().position) return;
    const asked = { client, generation: client.generation, end };
    for await (const isCaughtUp of this.#follow(this.#lifetime, asked)) if (isCaughtUp) return;
  }

  /** What the server has of the ledger's events, as far as the mirror goes, read from the beginning once more. */
  async *again(signal: AbortSignal): AsyncGenerator<readonly Arrived[]> {
    const { position } = this.#mirror.progress();
    const stream = await this.#connection.ask((client) => client.readLog(null, this.#names.prefixes));
    const incoming = new Incoming(stream, this.#names, signal);
    try {
      for (let isOver = position < 0; !isOver; ) {
        const { found, isCaughtUp } = await incoming.page(quietMs);
        yield found.filter((one) => one.kind === 'event').filter((one) => one.position <= position);
        isOver = isCaughtUp || (found.at(-1)?.position ?? -1) >= position;
      }
    } catch (error) {
      signal.throwIfAborted();
      const failure = failureOf(error);
      throw failure instanceof Stumble ? new EventStoreAway(this.#connection.hosts, failure.message, failure) : failure;
    } finally {
      incoming.stop();
    }
  }

  /** Takes in what the server has and goes on having. Yields with each page. Throws Stumble when the reading is over. */
  async *follow(signal: AbortSignal): AsyncGenerator<void> {
    await this.#history.require();
    for await (const _ of this.#follow(signal, null)) yield;
  }

  /** Yields whether all was taken in that the server had; where it stops, it can be begun again. */
  async *#follow(signal: AbortSignal, asked: Asked | null): AsyncGenerator<boolean> {
    const client = asked?.client ?? this.#connection.client();
    let incoming: Incoming | null = null;
    try {
      let { position: after } = this.#mirror.progress();
      const stream = await client.readLog(after < 0 ? null : after, this.#names.prefixes);
      incoming = new Incoming(stream, this.#names, signal);
      for (;;) {
        const { found, isCaughtUp } = await incoming.page(asked === null ? null : quietMs);
        const last = found.at(-1);
        const end = isCaughtUp && asked !== null ? endReached(asked) : last;
        const until = end !== undefined && last !== undefined && last.position > end.position ? last : end;
        if (until !== undefined && until.position > after) {
          if (!(await this.#mirror.admit({ after, found, until }))) throw stumbleOf('the mirror was set back');
          after = until.position;
        }
        yield isCaughtUp;
      }
    } catch (error) {
      signal.throwIfAborted();
      // What the log was read up to is no longer a place in it.
      if (isMisplaced(error)) this.#history.doubt();
      const failure = this.#connection.failed(client, error);
      throw isMisplaced(failure) ? stumbleOf(failure.message, failure) : failure;
    } finally {
      incoming?.stop();
    }
  }
}

/** Where the log ended, as the server said over a connection. */
interface Asked {
  readonly client: SteadyClient;
  readonly generation: number;
  readonly end: LogPlace;
}

/** Over another connection it may be another server that has caught up, and it may be behind. */
function endReached({ client, generation, end }: Asked): LogPlace {
  if (client.generation === generation) return end;
  throw stumbleOf('the connection was made anew while the log was read');
}

/** The last event there, of whatever stream; before the first place in an empty log. */
async function endOfLog(client: SteadyClient): Promise<LogPlace> {
  const read = client.readAll({ direction: 'backwards', fromPosition: 'end', maxCount: 1, requiresLeader: true });
  let end: LogPlace = { position: -1, serverId: '' };
  for await (const { event, commitPosition } of read) {
    end = { position: Number(event?.position?.commit ?? commitPosition ?? -1), serverId: plainId(event?.id) };
  }
  return end;
}
