// Appends to a stream. The session's knowledge of its end may be out of date, so an append is planned on it and sent to exactly
// that end; if the server reports another end, the stream is read again and the append is planned again.
import type { NewEvent } from '../../../schemas/envelope.ts';
import { RecentMap } from '../../base/recent-map.ts';
import { DuplicateId, WrongRevision } from '../errors.ts';
import { type Expectation, maxEventBytes, type PreparedEvent, plainId } from '../event.ts';
import type { Appended, AppendOptions } from '../ledger.ts';
import { prepareEvents } from '../prepare.ts';
import { historyShrank, neverFirst, OutcomeUnknown, partlyStored } from './errors.ts';
import type { FoundEvent, LogAppended, LogTraits, Position } from './log.ts';
import { type End, type Outgoing, type Plan, planned, type Stored } from './planning.ts';
import type { Calls } from './retry.ts';

/** The number of ids outside families that are remembered per stream. */
const mostOtherIds = 20_000;

// A family of ids is what icecore makes for one run, stage and kind: ids that differ only in a rising number. The highest of them
// tells which ids are new. Ids of other programs belong to no family.

/** An id of 32 hexadecimal digits, without the digits of its number. */
const familyDigits = 22;
const versionAt = 12;

/** Null: the id has no number. */
export function familyOf(id: string): string | null {
  return id[versionAt] === '8' ? id.slice(0, familyDigits) : null;
}

/**
 * A stream that a session writes, with its end and ids, so that the next append needs no lookup. It may be out of date; the server
 * refuses an append at a wrong end.
 */
export class KnownStream implements End {
  /** After records that are not events, the last event is not directly before this revision. */
  next = 0;
  lastEvent: Pick<FoundEvent, 'revision' | 'digest' | 'position'> | null = null;
  /** The highest id of each family. */
  readonly #highs = new Map<string, string>();
  /** Null: there are too many. */
  #others: Set<string> | null = new Set();

  get last(): string | null {
    return this.lastEvent?.digest ?? null;
  }

  /** Whether each of these ids is higher than all before it of its family, or of no family and neither here nor repeated. */
  areNew(ids: readonly string[]): boolean {
    const highs = new Map(this.#highs);
    const seen = new Set<string>();
    return ids.every((id) => {
      const family = familyOf(id);
      if (family === null) return this.#others?.has(id) === false && seen.size < seen.add(id).size;
      const isHigher = id > (highs.get(family) ?? '');
      highs.set(family, id);
      return isHigher;
    });
  }

  /** Adds the next event, by its plain id. */
  add(id: string, { revision, digest, position }: NonNullable<KnownStream['lastEvent']>): void {
    const family = familyOf(id);
    if (family === null) this.#others?.add(id);
    else if (id > (this.#highs.get(family) ?? '')) this.#highs.set(family, id);
    if (this.#others !== null && this.#others.size > mostOtherIds) this.#others = null;
    this.lastEvent = { revision, digest, position };
    this.next = revision + 1;
  }
}

/** `position` is that of the last event of the append, or of a later one; null: the stream is empty. */
export type Written = Omit<Appended, 'cursor'> & { readonly position: Position | null };

/** A stream, as remembered or as read within this call. */
export interface View {
  readonly known: KnownStream;
  /** By plain id: those of the given events that it contains; null: it is remembered, and none is known. */
  readonly stored: ReadonlyMap<string, Stored> | null;
}

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
    const prepared = prepareEvents(stream, events, maxEventBytes, options.types);
    const ids = prepared.map(({ id }) => plainId(id));
    const sent = new Set<string>();
    const isNew = options.isNew === true && !this.#streams.has(stream);
    let view: View | null = isNew ? { known: new KnownStream(), stored: null } : this.remembered(stream, ids);
    for (let tries = 0; tries < mostTries; tries++) {
      signal.throwIfAborted();
      view ??= await this.look(stream, ids, signal);
      const plan = planOf(stream, view, prepared, ids, options.expect, sent);
      if (plan === null) {
        view = null;
        continue;
      }
      const { fresh, digests, revision } = plan;
      const sending = { isNew, signal, stop: options.signal, digests: sent };
      const answer = await this.send(stream, view.known, fresh, sending);
      if (answer?.kind === 'wrong-end') {
        view = await this.look(stream, ids, signal, answer.revision);
        continue;
      }
      const position = view.known.lastEvent?.position ?? null;
      const place = answer?.place === undefined ? {} : { place: answer.place };
      return { revision, existed: existedBefore(plan, sent), digests, position, ...place };
    }
    throw neverFirst(stream, mostTries);
  }

  /** Null: the session does not know the stream, or one of the ids may be in it. */
  remembered(stream: string, ids: readonly string[]): View | null {
    const known = this.#streams.get(stream);
    return known?.areNew(ids) === true ? { known, stored: null } : null;
  }

  /**
   * Reads the end of the stream and which of these ids it contains: only events after the known end, unless one of the ids may be
   * before it. `end` is the last revision that the server reports, which may be a record that is not an event. Throws HistoryShrank
   * if the stream no longer has its last known event.
   */
  async look(stream: string, ids: readonly string[], signal: AbortSignal, end = -1): Promise<View> {
    const known = this.remembered(stream, ids)?.known ?? new KnownStream();
    // After an error the end of the stream is unknown.
    this.#streams.delete(stream);
    const last = known.lastEvent;
    const sought = new Set(ids);
    const stored = new Map<string, Stored>();
    let isProven = last === null;
    for await (const events of this.#calls.readStream(stream, { from: last?.revision ?? 0 }, signal)) {
      if (!isProven && events[0]?.digest !== last?.digest) break;
      const added = isProven ? events : events.slice(1);
      isProven = true;
      for (const event of added) {
        const id = plainId(event.id);
        if (sought.has(id)) stored.set(id, event);
        known.add(id, event);
      }
    }
    if (!isProven) throw historyShrank(`${stream}@${last?.revision}`);
    known.next = Math.max(known.next, end + 1);
    this.#remember(stream, known);
    return { known, stored };
  }

  /**
   * Appends events after the known end, in as many portions as the log needs, and returns the last answer; null: there is nothing
   * to append.
   */
  async send(
    stream: string,
    known: KnownStream,
    events: readonly Outgoing[],
    { isNew = false, signal, stop = never, digests = new Set() }: Sending,
  ): Promise<LogAppended | null> {
    let answer: LogAppended | null = null;
    // After an error the end of the stream is unknown.
    this.#streams.delete(stream);
    for (const portion of portionsOf(events, this.#calls.log.traits)) {
      const append = { isNew: isNew && known.next === 0, signal: stop };
      answer = await this.#sendPortion(stream, portion, append, signal, digests);
      if (answer.kind === 'wrong-end') {
        for (const { revision, digest } of events) if (revision < known.next) digests.add(digest);
        break;
      }
      const { position } = answer;
      for (const { id, revision, digest } of portion) known.add(id, { revision, digest, position });
    }
    this.#remember(stream, known);
    return answer;
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
    if (answer.kind === 'wrong-end') return answer;
    const { position } = answer;
    if (position !== null && !isUnknown) return { ...answer, position };
    // If an earlier try stored the events, the answer may contain another position.
    const { revision, digest } = portion.at(-1) as Outgoing;
    for await (const [found] of this.#calls.readStream(stream, { from: revision, to: revision }, signal)) {
      if (found?.digest === digest) return { ...answer, position: found.position };
    }
    return { kind: 'wrong-end', revision };
  }

  #remember(stream: string, known: KnownStream): void {
    if (known.next > 0) this.#streams.set(stream, known);
  }
}

const { signal: never } = new AbortController();

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
  { known, stored }: View,
  prepared: readonly PreparedEvent[],
  ids: readonly string[],
  expect: Expectation,
  sent: ReadonlySet<string>,
): Plan | null {
  try {
    const plan = planned(stream, { end: known, stored: stored ?? new Map() }, prepared, ids, expect);
    return plan.fresh.length === 0 && stored === null ? null : plan;
  } catch (error) {
    if (!(error instanceof WrongRevision || error instanceof DuplicateId)) throw error;
    if (stored === null) return null;
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
