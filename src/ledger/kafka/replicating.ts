// Storing events as another ledger stored them. Everything is looked at before anything is sent; evidence is sent first, and
// what vouches for it after it, so that what breaks off in between leaves nothing that vouches for what is not there.
import { isChained } from '../../../schemas/streams.ts';
import { DamagedEvent, Diverged, DuplicateId, WrongRevision } from '../errors.ts';
import { uuidOf } from '../event.ts';
import { differences } from '../identity/sameness.ts';
import { NeverFirst } from '../remote/errors.ts';
import { Highs } from '../remote/families.ts';
import type { Stored } from '../remote/planning.ts';
import { type Skimmed, type StoredEvent, skim } from '../stored.ts';
import { newStream, type StreamState } from './admission.ts';
import { storedOf } from './known-ids.ts';
import type { Lane } from './lanes.ts';
import type { Log } from './log.ts';
import { endOf, type Sending } from './sending.ts';
import type { Own, Session } from './session.ts';
import type { StreamReading } from './stream-reading.ts';
import type { Outgoing, Writer } from './wire.ts';

interface Wanted {
  readonly event: StoredEvent;
  readonly skimmed: Skimmed;
}

/** The events of one stream, in order. */
interface Part {
  readonly stream: string;
  readonly lane: Lane;
  readonly wanted: readonly Wanted[];
}

interface Fresh extends Part {
  readonly writer: Writer | null;
  /** Where it was taken over before, the offset behind its last event. */
  readonly ownTo: number | null;
  readonly highs: Highs;
}

export interface Replicated {
  /** How many of the events were there already. */
  readonly existed: number;
  /** Behind what was sent, by the number of the lane. */
  readonly ends: ReadonlyMap<number, number>;
}

const mostTries = 5;

export class Replicating {
  readonly #log: Log;
  readonly #reading: StreamReading;
  readonly #sending: Sending;
  readonly #session: Session;

  constructor(log: Log, reading: StreamReading, sending: Sending, session: Session) {
    this.#log = log;
    this.#reading = reading;
    this.#sending = sending;
    this.#session = session;
  }

  async replicate(events: readonly StoredEvent[], signal: AbortSignal): Promise<Replicated> {
    const parts = this.#partsOf(events.map((event) => ({ event, skimmed: skim(event) })));
    const streams = parts.map(({ stream }) => stream);
    return await this.#session.turns.ofAll(streams, signal, async () => {
      for (let tries = 0; tries < mostTries; tries++) {
        const done = await this.#try(parts, signal);
        if (done !== null) return done;
      }
      throw new NeverFirst(parts[0]?.stream ?? '', mostTries);
    });
  }

  #partsOf(wanted: readonly Wanted[]): readonly Part[] {
    const parts = new Map<string, Wanted[]>();
    for (const one of wanted) {
      const { stream, revision } = one.event;
      if (this.#log.lanes.ofStream(stream) === null)
        throw new DamagedEvent(stream, revision, 'its stream is none of a ledger');
      const part = parts.get(stream);
      if (part === undefined) parts.set(stream, [one]);
      else part.push(one);
    }
    return [...parts].map(([stream, own]) => ({ stream, lane: this.#log.lanes.ofStream(stream) as Lane, wanted: own }));
  }

  /** Null where somebody else wrote one of the streams meanwhile. */
  async #try(parts: readonly Part[], signal: AbortSignal): Promise<Replicated | null> {
    const fresh: Fresh[] = [];
    let existed = 0;
    const unknown = new Set(parts.filter((part) => this.#ownOf(part) === null).map(({ lane }) => lane));
    const lanes = [...unknown];
    if (lanes.length > 0) await this.#log.takeAllIn(lanes, await this.#log.ends(lanes), signal);
    for (const part of parts) {
      const rest = await this.#lookUp(part, signal);
      existed += part.wanted.length - rest.wanted.length;
      if (rest.wanted.length > 0) fresh.push(rest);
    }
    fresh.sort((a, b) => Number(isChained(a.stream)) - Number(isChained(b.stream)));
    // What breaks off leaves nothing known of where they end.
    for (const { stream } of fresh) this.#session.forget(stream);
    const ends = new Map<number, number>();
    for (const [lane, those] of byLane(fresh)) {
      const sent = await this.#sending.send(lane, those.flatMap(outgoing));
      const isSure = those.every(({ ownTo }) => ownTo !== null && this.#sending.isAloneSince(lane, ownTo));
      if (!isSure && !(await this.#log.count(lane, sent, signal))) return null;
      for (const part of those) this.#remember(part, endOf(sent));
      ends.set(lane.number, endOf(sent));
    }
    return { existed, ends };
  }

  /** Of a part, what is not there yet. Throws Diverged, WrongRevision, DuplicateId. */
  async #lookUp(part: Part, signal: AbortSignal): Promise<Fresh> {
    const { stream, lane, wanted } = part;
    const own = this.#ownOf(part);
    const found = own === null ? this.#log.index.stream(stream) : null;
    const state = own?.state ?? found ?? newStream;
    const there = wanted.filter(({ event }) => event.revision < state.next);
    const rest = wanted.slice(there.length);
    await this.#requireSame(stream, there, signal);
    requireContinuing(stream, state, rest);
    const ids = rest.map(({ skimmed }) => skimmed.id);
    const stored = await storedOf(ids, found, this.#log.index, (revisions) =>
      this.#reading.readKnown(stream, revisions, signal),
    );
    for (const one of rest) refuseTaken(one, stored.get(one.skimmed.id));
    const writer = isChained(stream) ? null : (own?.writer ?? this.#session.writerAfter(state));
    const highs = own?.highs ?? (found === null ? new Highs() : this.#log.index.highs(found.number));
    return { stream, lane, wanted: rest, writer, ownTo: own?.next ?? null, highs };
  }

  /** Null where the log must be looked at: it was not taken over, or may hold some of this. */
  #ownOf({ stream, wanted }: Part): Own | null {
    const own = this.#session.own(stream);
    if (own === null || (wanted[0]?.event.revision ?? 0) < own.state.next) return null;
    return own.highs.areNew(wanted.map(({ event }) => event.filedId)) ? own : null;
  }

  async #requireSame(stream: string, there: readonly Wanted[], signal: AbortSignal): Promise<void> {
    const [first, last] = [there[0]?.event.revision, there.at(-1)?.event.revision];
    if (first === undefined || last === undefined) return;
    const digests = new Map<number, string>();
    for await (const events of this.#reading.readKnown(stream, { from: first, to: last }, signal)) {
      for (const { revision, digest } of events) digests.set(revision, digest);
    }
    for (const { event } of there) {
      const found = digests.get(event.revision) ?? 'none';
      if (found !== event.digest) throw new Diverged(stream, event.revision, event.digest, found);
    }
  }

  #remember({ stream, wanted, writer, highs }: Fresh, next: number): void {
    const last = wanted.at(-1);
    if (writer === null || last === undefined) return;
    const state = { next: last.event.revision + 1, last: last.event.digest, writer };
    const ids = wanted.map(({ event }) => event.filedId);
    this.#session.remember(stream, { state, next, writer, highs: highs.with(ids) });
  }
}

function requireContinuing(stream: string, state: StreamState, rest: readonly Wanted[]): void {
  let { next, last } = state;
  for (const { event, skimmed } of rest) {
    if (event.revision !== next) throw new WrongRevision(stream, event.revision - 1, next - 1);
    if (isChained(stream) && skimmed.previous !== last) {
      throw new Diverged(stream, next - 1, skimmed.previous ?? 'none', last ?? 'none');
    }
    next = event.revision + 1;
    last = event.digest;
  }
}

function refuseTaken({ event }: Wanted, stored: Stored | undefined): void {
  if (stored === undefined) return;
  const differs = differences(stored.body, event.body);
  const place = { stream: event.stream, revision: stored.revision };
  throw new DuplicateId(uuidOf(event), place, differs.length === 0 ? ['revision'] : differs);
}

function byLane(fresh: readonly Fresh[]): ReadonlyMap<Lane, readonly Fresh[]> {
  return Map.groupBy(fresh, ({ lane }) => lane);
}

function outgoing({ stream, wanted, writer }: Fresh): readonly Outgoing[] {
  return wanted.map(({ event, skimmed }) => {
    const { id, type, at, actor } = event.envelope;
    return {
      stream,
      revision: event.revision,
      body: event.body,
      digest: event.digest,
      previous: skimmed.previous,
      writer,
      recordedMs: event.recordedMs,
      event: { id, type, at, actor },
    };
  });
}
