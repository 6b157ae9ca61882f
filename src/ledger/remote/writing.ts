// Appends to a stream. The session's knowledge of its end may be out of date, so an append is planned on it and sent to exactly
// that end; if the server reports another end, the stream is read again and the append is planned again.
import type { NewEvent } from '../../../schemas/envelope.ts';
import { RecentMap } from '../../base/recent-map.ts';
import { DuplicateId, WrongRevision } from '../errors.ts';
import { type Expectation, type PreparedEvent, plainId } from '../event.ts';
import type { AppendOptions, EvidencePlace } from '../ledger.ts';
import { prepareEvents } from '../prepare.ts';
import type { Calls } from './calls.ts';
import { historyShrank, neverFirst, OutcomeUnknown, partlyStored } from './errors.ts';
import { KnownStream } from './known-streams.ts';
import type { LogAppended, LogTraits, Position } from './log.ts';
import { type Outgoing, type Plan, planned, type Stored } from './planning.ts';

export interface Written {
  readonly revision: number;
  readonly existed: readonly boolean[];
  readonly digests: string;
  /** The position of the last event of the append, or of a later one; null: the stream is empty. */
  readonly position: Position | null;
  readonly place?: EvidencePlace;
}

/** A stream as last read, with the ids that it contains among those asked for. */
export interface View {
  readonly known: KnownStream;
  /** By plain id. */
  readonly stored: ReadonlyMap<string, Stored>;
  /** It was read within this call; otherwise the session remembers it. */
  readonly isFresh: boolean;
}

export type Sent =
  | { readonly kind: 'sent'; readonly known: KnownStream; readonly place: EvidencePlace | null }
  | { readonly kind: 'wrong-end'; readonly revision: number };

interface Sending {
  readonly isNew?: boolean;
  /** Ends reading and retrying. Pending sends are awaited, so that a closed ledger leaves no half-stored append. */
  readonly signal: AbortSignal;
  /** Also ends the waiting for the server. */
  readonly stop?: AbortSignal | undefined;
  /** Collects the digests of events that are or may be stored, although the append did not succeed. */
  readonly digests?: Set<string>;
}

/** If others append to the same stream all the time, an append is repeated this often before it fails. */
const mostTries = 10_000;

/** The number of streams that a session remembers. */
const mostStreams = 1_000;

export class Writing {
  readonly #calls: Calls;
  readonly #streams = new RecentMap<string, KnownStream>(mostStreams);

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  async append(
    stream: string,
    events: readonly NewEvent[],
    options: AppendOptions,
    signal: AbortSignal,
  ): Promise<Written> {
    const prepared = prepareEvents(stream, events, this.#calls.log.traits.maxEventBytes, options.types);
    const ids = prepared.map(({ id }) => plainId(id));
    const sent = new Set<string>();
    const isNew = options.isNew === true && !this.#streams.has(stream);
    let view = isNew ? newStream : this.remembered(stream, ids);
    for (let tries = 0; tries < mostTries; tries++) {
      signal.throwIfAborted();
      view ??= await this.look(stream, ids, signal);
      const plan = planOf(stream, view, prepared, ids, options.expect, sent);
      if (plan === null) {
        view = null;
        continue;
      }
      const { fresh, digests, revision } = plan;
      const done = await this.send(stream, view.known, fresh, { isNew, signal, stop: options.signal, digests: sent });
      if (done.kind === 'wrong-end') {
        view = await this.look(stream, ids, signal, done.revision);
        continue;
      }
      const position = done.known.lastEvent?.position ?? null;
      const place = done.place === null ? {} : { place: done.place };
      return { revision, existed: existedBefore(plan, sent), digests, position, ...place };
    }
    throw neverFirst(stream, mostTries);
  }

  /** Null: the session does not know the stream, or one of the ids may be in it. */
  remembered(stream: string, ids: readonly string[]): View | null {
    const known = this.#streams.get(stream);
    return known?.areNew(ids) === true ? { known, stored: new Map(), isFresh: false } : null;
  }

  /**
   * Reads the end of the stream and which of these ids it contains: only events after the known end, unless one of the ids may be
   * before it. `end` is the last revision that the server reports, which may be a record that is not an event.
   */
  async look(stream: string, ids: readonly string[], signal: AbortSignal, end = -1): Promise<View> {
    const before = this.#streams.get(stream);
    this.#streams.delete(stream);
    const { known, stored } = await this.#read(stream, ids, before?.areNew(ids) === true ? before : empty, signal);
    const reached = known.next > end ? known : known.withEndAt(end);
    if (reached.next > 0) this.#streams.set(stream, reached);
    return { known: reached, stored, isFresh: true };
  }

  /** Throws HistoryShrank if the stream no longer has its last known event. */
  async #read(
    stream: string,
    ids: readonly string[],
    from: KnownStream,
    signal: AbortSignal,
  ): Promise<Pick<View, 'known' | 'stored'>> {
    const sought = new Set(ids);
    const stored = new Map<string, Stored>();
    const last = from.lastEvent;
    const shrank = (): Error => historyShrank(`${stream}@${last?.revision}`);
    let isProven = last === null;
    let known = from;
    for await (const events of this.#calls.readStream(stream, { from: last?.revision ?? 0 }, signal)) {
      if (!isProven && events[0]?.digest !== last?.digest) throw shrank();
      const added = isProven ? events : events.slice(1);
      isProven = true;
      for (const event of added) if (sought.has(plainId(event.id))) stored.set(plainId(event.id), event);
      known = known.withFound(added);
    }
    if (!isProven) throw shrank();
    return { known, stored };
  }

  /** Appends events after the known end, in as many portions as the log needs. */
  async send(
    stream: string,
    known: KnownStream,
    events: readonly Outgoing[],
    { isNew = false, signal, stop = never, digests = new Set() }: Sending,
  ): Promise<Sent> {
    let reached = known;
    let place: EvidencePlace | null = null;
    // After an error the end of the stream is unknown.
    this.#streams.delete(stream);
    for (const portion of portionsOf(events, this.#calls.log.traits)) {
      const append = { isNew: isNew && reached.next === 0, signal: stop };
      const sent = await this.#sendPortion(stream, portion, append, signal, digests);
      if (sent.kind === 'wrong-end') {
        for (const { revision, digest } of events) if (revision < reached.next) digests.add(digest);
        if (reached.next > 0) this.#streams.set(stream, reached);
        return sent;
      }
      const last = portion.at(-1) as Outgoing;
      reached = reached.with(
        portion.map(({ id }) => id),
        { ...last, position: sent.position },
      );
      if (sent.place !== undefined) place = { ...sent.place, from: (place ?? sent.place).from };
    }
    if (reached.next > 0) this.#streams.set(stream, reached);
    return { kind: 'sent', known: reached, place };
  }

  async #sendPortion(
    stream: string,
    portion: readonly Outgoing[],
    append: { readonly isNew: boolean; readonly signal: AbortSignal },
    signal: AbortSignal,
    digests: Set<string>,
  ): Promise<LogAppended> {
    let isUnknown = false;
    const answer = await this.#calls.make(async (log) => {
      try {
        return await log.append(stream, portion, append);
      } catch (error) {
        isUnknown ||= error instanceof OutcomeUnknown;
        throw error;
      }
    }, signal);
    if (isUnknown) for (const { digest } of portion) digests.add(digest);
    if (!isUnknown || answer.kind === 'wrong-end') return answer;
    // If an earlier try stored the events, the answer may contain another position.
    const { revision, digest } = portion.at(-1) as Outgoing;
    for await (const [found] of this.#calls.readStream(stream, { from: revision, to: revision }, signal)) {
      if (found?.digest === digest) return { ...answer, position: found.position };
    }
    return { kind: 'wrong-end', revision };
  }
}

const { signal: never } = new AbortController();
const { empty } = KnownStream;
const newStream: View = { known: empty, stored: new Map(), isFresh: false };

/** Events that an earlier try of this call stored do not count as existing before. */
function existedBefore({ existed, digests }: Plan, sent: Set<string>): readonly boolean[] {
  if (!existed.includes(true)) return existed;
  return existed.map((was, i) => {
    const isOwn = sent.delete(digests.slice(64 * i, 64 * (i + 1)));
    return was && !isOwn;
  });
}

/**
 * `sent` are the digests of events that this call stored, or may have stored. Null: the append is refused by a view that may be
 * out of date. Throws WrongRevision, DuplicateId, PartlyStored.
 */
function planOf(
  stream: string,
  { known, stored, isFresh }: View,
  prepared: readonly PreparedEvent[],
  ids: readonly string[],
  expect: Expectation,
  sent: ReadonlySet<string>,
): Plan | null {
  try {
    const plan = planned({ stream, end: known, stored }, prepared, ids, expect);
    return plan.fresh.length === 0 && !isFresh ? null : plan;
  } catch (error) {
    if (!(error instanceof WrongRevision || error instanceof DuplicateId)) throw error;
    if (!isFresh) return null;
    const own = [...stored.values()].filter(({ digest }) => sent.has(digest)).length;
    if (own > 0 && error instanceof WrongRevision) throw partlyStored(stream, own, prepared.length, error);
    throw error;
  }
}

function* portionsOf(events: readonly Outgoing[], traits: LogTraits): Generator<readonly Outgoing[]> {
  let portion: Outgoing[] = [];
  let bytes = 0;
  for (const event of events) {
    const size = Buffer.byteLength(event.body) + traits.eventOverheadBytes;
    if (portion.length > 0 && (bytes + size > traits.maxAppendBytes || portion.length >= traits.maxAppendEvents)) {
      yield portion;
      portion = [];
      bytes = 0;
    }
    portion.push(event);
    bytes += size;
  }
  if (portion.length > 0) yield portion;
}
