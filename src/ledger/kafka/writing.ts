// Appending to a stream. Kafka stores whatever is sent, so an append looks at the end of its stream, sends what should come
// next, and looks whether it did: of two that send at once, the log says who was first, and the other tries again. A stream
// without a chain has one writer: who has taken it over is sure of its end, and need not look as long as nobody else writes
// to its lane.
import type { NewEvent } from '../../../schemas/envelope.ts';
import { isChained } from '../../../schemas/streams.ts';
import type { PreparedEvent } from '../event.ts';
import type { AppendOptions } from '../ledger.ts';
import { prepareEvents } from '../prepare.ts';
import { NeverFirst } from '../remote/errors.ts';
import { Highs } from '../remote/families.ts';
import { type Plan, planned, type Stored } from '../remote/planning.ts';
import { unlessAborted } from '../remote/unless-aborted.ts';
import { isHeldBy, newStream, type StreamState } from './admission.ts';
import { TakenOver } from './errors.ts';
import { stateAt } from './holding.ts';
import { plainId, storedOf } from './known-ids.ts';
import type { Lane } from './lanes.ts';
import type { Log } from './log.ts';
import { endOf, type Sending, type Sent } from './sending.ts';
import type { Own, Session } from './session.ts';
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
  readonly highs: Highs;
  /** Null where it was not taken over before. */
  readonly own: Own | null;
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
    const written = await this.#session.turns.of(stream).take(() => this.#append(append), signal);
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
        // Who was told of it may take the stream back.
        if (error instanceof TakenOver) this.#session.forgetAll(append.stream);
        else this.#session.forget(append.stream);
        if (!(error instanceof OutcomeUnknown) || ++unknown >= mostUnknown) throw error;
      }
    }
    throw new NeverFirst(append.stream, mostTries);
  }

  /** Null where somebody else came first. */
  async #try(append: Append): Promise<Written | null> {
    const { lane, stream, prepared, options } = append;
    const { signal } = options;
    const situation = this.#known(append) ?? (await unlessAborted(this.#lookUp(append), signal));
    const plan = planned({ stream, ...situation }, prepared, options.expect);
    const { revision, existed, digests, fresh } = plan;
    if (fresh.length === 0) return { revision, existed, digests, next: this.#log.index.lane(lane.number).next };
    const writer = isChained(stream) ? null : (situation.own?.writer ?? this.#session.writerAfter(situation.state));
    this.#requireNotTakenOver(append, situation);
    // Who stops does not wait for brokers that are away: what was sent may arrive, and is found by whoever appends next.
    const sent = await unlessAborted(this.#sending.send(lane, outgoing(append, plan, writer)), signal);
    if (!(await this.#counts(append, situation, sent))) return null;
    const next = endOf(sent);
    if (writer !== null) this.#remember(append, plan, { highs: situation.highs, writer, next });
    return { revision, existed, digests, next };
  }

  /** Who takes any end does not know that another has come, and is not to take the stream back unknowing. */
  #requireNotTakenOver({ stream, options }: Append, { own, state }: Situation): void {
    if (own !== null || options.expect !== 'any' || !this.#session.isLost(stream, state)) return;
    throw new TakenOver(stream, state.next);
  }

  /** False where somebody else came first. */
  async #counts(append: Append, { own, state }: Situation, sent: readonly Sent[]): Promise<boolean> {
    const { lane, stream, signal } = append;
    if (own === null) return await this.#log.count(lane, sent, signal);
    if (!(await this.#isStillHeld(append, own, sent))) throw new TakenOver(stream, state.next);
    return true;
  }

  /** Where others write to the lane, one of them may have taken the stream over: before that, all of its holder's counts. */
  async #isStillHeld({ lane, stream, signal }: Append, own: Own, sent: readonly Sent[]): Promise<boolean> {
    const last = sent.at(-1);
    if (last === undefined || this.#sending.isAloneSince(lane, own.next)) return true;
    return isHeldBy(own.writer, await stateAt(this.#log.asking, { lane, stream, own }, last.first, signal));
  }

  /** Null where the log must be looked at. */
  #known({ stream, ids, options }: Append): Situation | null {
    const own = options.expect === 'any' ? this.#session.own(stream) : null;
    if (own === null || !own.highs.areNew(ids.map(plainId))) return null;
    return { state: own.state, stored: none, highs: own.highs, own };
  }

  async #lookUp({ lane, stream, ids, signal }: Append): Promise<Situation> {
    const { index } = this.#log;
    await this.#log.takeInToEnd(lane, signal);
    const found = index.stream(stream);
    const stored = await storedOf(ids, found, index, (revisions) => this.#reading.readKnown(stream, revisions, signal));
    const highs = found === null ? new Highs() : index.highs(found.number);
    return { state: found ?? newStream, stored, highs, own: null };
  }

  #remember({ stream, ids }: Append, { revision, fresh }: Plan, { highs, writer, next }: Omit<Own, 'state'>): void {
    const state = { next: revision + 1, last: fresh.at(-1)?.digest ?? null, writer };
    this.#session.remember(stream, { state, next, writer, highs: highs.with(ids.map(plainId)) });
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
