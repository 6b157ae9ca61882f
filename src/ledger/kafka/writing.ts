// Appending to a stream. Kafka stores whatever is sent, so an append looks at the end of its stream, sends what should come
// next, and looks whether it did: of two that send at once, the log says who was first, and the other tries again. A stream
// without a chain has one writer: who has taken it over is sure of its end, and need not look any more.
import type { NewEvent } from '../../../schemas/envelope.ts';
import { isChained } from '../../../schemas/streams.ts';
import type { AppendOptions } from '../ledger.ts';
import { type PreparedEvent, prepareEvents } from '../prepare.ts';
import { newStream, type StreamState } from './admission.ts';
import { NeverFirst } from './errors.ts';
import { areNew, highest, storedOf } from './known-ids.ts';
import type { Lane } from './lanes.ts';
import type { Log } from './log.ts';
import { type Plan, planned, type Stored } from './planning.ts';
import type { Sending } from './sending.ts';
import type { Session } from './session.ts';
import type { StreamReading } from './stream-reading.ts';
import { OutcomeUnknown } from './transport/errors.ts';
import type { Outgoing, Writer } from './wire.ts';

export interface Written {
  readonly revision: number;
  readonly existed: readonly boolean[];
  readonly digests: string;
  /** Behind the last record of the append in its lane. */
  readonly next: number;
}

interface Append {
  readonly lane: Lane;
  readonly stream: string;
  readonly events: readonly NewEvent[];
  readonly ids: readonly string[];
  readonly prepared: readonly PreparedEvent[];
  readonly options: AppendOptions;
  readonly signal: AbortSignal;
}

/** What an append knows of its stream. */
interface Situation {
  readonly state: StreamState;
  readonly stored: ReadonlyMap<string, Stored>;
  readonly high: string;
  /** As whom it was taken over, and nobody else's events count in it; null where it was not. */
  readonly own: Writer | null;
}

/** Where others write the same stream all the time, it goes on for long before it is given up. */
const mostTries = 10_000;
/** How often an append is tried whose answer did not come. */
const mostUnknown = 3;

const none: ReadonlyMap<string, Stored> = new Map();

export class Writing {
  readonly #log: Log;
  readonly #reading: StreamReading;
  readonly #sending: Sending;
  readonly #session: Session;
  readonly #maxEventBytes: number;

  constructor(log: Log, reading: StreamReading, sending: Sending, session: Session, maxEventBytes: number) {
    this.#log = log;
    this.#reading = reading;
    this.#sending = sending;
    this.#session = session;
    this.#maxEventBytes = maxEventBytes;
  }

  async append(
    stream: string,
    events: readonly NewEvent[],
    options: AppendOptions,
    signal: AbortSignal,
  ): Promise<Written & { readonly lane: Lane }> {
    const prepared = prepareEvents(stream, events, this.#maxEventBytes);
    const lane = this.#log.lanes.ofStream(stream) as Lane;
    const append: Append = { lane, stream, events, ids: prepared.map(({ id }) => id), prepared, options, signal };
    const written = await this.#session.turnOf(stream).take(() => this.#append(append), signal);
    return { ...written, lane };
  }

  async #append(append: Append): Promise<Written> {
    let unknown = 0;
    for (let tries = 0; tries < mostTries; tries++) {
      append.signal.throwIfAborted();
      try {
        const written = await this.#try(append);
        if (written !== null) return written;
      } catch (error) {
        this.#session.forget(append.stream);
        if (!(error instanceof OutcomeUnknown) || ++unknown >= mostUnknown) throw error;
      }
    }
    throw new NeverFirst(append.stream, mostTries);
  }

  /** Null where somebody else came first. */
  async #try(append: Append): Promise<Written | null> {
    const { lane, stream, prepared, options } = append;
    const situation = this.#known(append) ?? (await this.#lookUp(append));
    const plan = planned({ stream, ...situation }, prepared, options.expect);
    const { revision, existed, digests, fresh } = plan;
    if (fresh.length === 0) return { revision, existed, digests, next: this.#log.index.lane(lane.number).next };
    const writer = isChained(stream) ? null : (situation.own ?? this.#session.writerAfter(situation.state));
    const sent = await this.#sending.send(lane, outgoing(append, plan, writer));
    if (situation.own === null && !(await this.#log.count(lane, sent))) return null;
    if (writer !== null) this.#remember(append, plan, situation.high, writer);
    const last = sent.at(-1);
    return { revision, existed, digests, next: last === undefined ? 0 : last.first + last.count };
  }

  /** Null where the log must be looked at. */
  #known({ stream, ids, options }: Append): Situation | null {
    const own = options.expect === 'any' ? this.#session.own(stream) : null;
    if (own === null || !areNew(ids, own.high)) return null;
    return { state: own.state, stored: none, high: own.high, own: own.writer };
  }

  async #lookUp({ lane, stream, ids, signal }: Append): Promise<Situation> {
    const { index } = this.#log;
    await this.#log.takeInToEnd(lane, signal);
    const found = index.stream(stream);
    const stored = await storedOf(ids, found, index, (revisions) => this.#reading.read(stream, revisions, signal));
    return { state: found ?? newStream, stored, high: found?.high ?? '', own: null };
  }

  #remember({ stream, ids }: Append, { revision, fresh }: Plan, high: string, writer: Writer): void {
    const state = { next: revision + 1, last: fresh.at(-1)?.digest ?? null, writer };
    this.#session.remember(stream, { state, writer, high: highest(ids, high) });
  }
}

function outgoing({ stream, events }: Append, { fresh }: Plan, writer: Writer | null): readonly Outgoing[] {
  const recordedMs = Date.now();
  return fresh.map(({ index, ...place }) => ({
    ...place,
    stream,
    writer,
    recordedMs,
    event: events[index] as NewEvent,
  }));
}
