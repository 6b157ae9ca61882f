// Appending to a stream. What is known of its end may be old, so what is to be sent is planned on it and sent behind exactly that
// end: where the server says that the stream goes on, the mirror catches up, and it is planned anew.
import type { NewEvent } from '../../../schemas/envelope.ts';
import { DuplicateId, WrongRevision } from '../errors.ts';
import { maxEventBytes, type PreparedEvent } from '../event.ts';
import type { AppendOptions } from '../ledger.ts';
import { prepareEvents } from '../prepare.ts';
import { NeverFirst } from '../remote/errors.ts';
import { Highs } from '../remote/families.ts';
import { type End, type Plan, planned, type Stored } from '../remote/planning.ts';
import { unlessAborted } from '../remote/unless-aborted.ts';
import type { CatchingUp } from './catching-up.ts';
import { PartlyStored } from './errors.ts';
import type { Keeping } from './keeping.ts';
import type { Mirror } from './mirror/mirror.ts';
import type { OwnStreams } from './own-streams.ts';
import type { Overtaken, Sending, Sent } from './sending.ts';
import { type Outgoing, plainId } from './wire.ts';

export interface Written {
  readonly revision: number;
  readonly existed: readonly boolean[];
  readonly digests: string;
  /** Of the last event of the append, or of one behind it. */
  readonly position: number;
}

export interface Parts {
  readonly mirror: Mirror;
  readonly catchingUp: CatchingUp;
  readonly sending: Sending;
  readonly keeping: Keeping;
  readonly own: OwnStreams;
}

interface Append {
  readonly stream: string;
  readonly events: readonly NewEvent[];
  readonly prepared: readonly PreparedEvent[];
  readonly ids: readonly string[];
  readonly options: AppendOptions;
  readonly signal: AbortSignal;
  /** So many of its events were stored by tries that others cut short. */
  stored: number;
}

/** What an append knows of its stream. */
interface Situation {
  readonly state: End;
  readonly stored: ReadonlyMap<string, Stored>;
  /** Of the ids that are in the stream and not in the mirror. */
  readonly highs: Highs;
}

/** Where others write the same stream all the time, it goes on for long before it is given up. */
const mostTries = 10_000;

export class Writing {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async append(
    stream: string,
    events: readonly NewEvent[],
    options: AppendOptions,
    signal: AbortSignal,
  ): Promise<Written> {
    const prepared = prepareEvents(stream, events, maxEventBytes, options.types);
    const append: Append = {
      stream,
      events,
      prepared,
      ids: prepared.map(({ id }) => plainId(id)),
      options,
      signal,
      stored: 0,
    };
    const { own } = this.#parts;
    const known = await this.#known(append);
    if (known !== null) {
      const written = await this.#try(append, known, false);
      if (written !== null) return written;
    }
    own.forget(stream);
    for (let tries = 0; tries < mostTries; tries++) {
      signal.throwIfAborted();
      await this.#parts.catchingUp.toNow(signal);
      const written = await this.#try(append, this.#inMirror(append), true);
      if (written !== null) return written;
    }
    throw new NeverFirst(stream, mostTries);
  }

  /** Null where the stream goes on behind what was known of it. `isSure`: what is known is as new as can be. */
  async #try(append: Append, situation: Situation, isSure: boolean): Promise<Written | null> {
    const { stream, ids, signal } = append;
    const plan = this.#planned(append, situation, isSure);
    if (plan === null) return null;
    const { revision, existed, digests, fresh } = plan;
    if (fresh.length === 0) {
      return isSure ? { revision, existed, digests, position: this.#parts.mirror.reading.lastPosition() } : null;
    }
    await this.#parts.keeping.require(stream, signal);
    const sent = await this.#sent(append, situation.state.next - 1, plan);
    if ('refusedBehind' in sent) {
      append.stored += sent.refusedBehind;
      return null;
    }
    const last = fresh.at(-1)?.digest ?? situation.state.last;
    this.#parts.own.remember(stream, { next: revision + 1, last, highs: situation.highs.with(ids) });
    return { revision, existed, digests, position: sent.position ?? (await this.#positionNow(signal)) };
  }

  async #sent({ stream, events, signal }: Append, behind: number, { fresh }: Plan): Promise<Sent | Overtaken> {
    const outgoing = fresh.map(({ index, body, digest }): Outgoing => {
      return { body, digest, event: events[index] as NewEvent, recordedMs: null };
    });
    try {
      return await this.#parts.sending.send(stream, behind, outgoing, signal);
    } catch (error) {
      this.#parts.own.forget(stream);
      throw error;
    }
  }

  /** What speaks against an append may be out of date: then it is looked up before it is said. */
  #planned({ stream, prepared, options, stored }: Append, situation: Situation, isSure: boolean): Plan | null {
    try {
      return planned({ stream, state: situation.state, stored: situation.stored }, prepared, options.expect);
    } catch (error) {
      if (!isSure && (error instanceof WrongRevision || error instanceof DuplicateId)) return null;
      if (stored > 0 && error instanceof WrongRevision) throw new PartlyStored(stream, stored, prepared.length, error);
      throw error;
    }
  }

  /** Null where the mirror must catch up before anything is known. */
  async #known(append: Append): Promise<Situation | null> {
    const { stream, ids, signal } = append;
    const { mirror } = this.#parts;
    await unlessAborted(this.#parts.catchingUp.proven(), signal);
    const own = this.#parts.own.of(stream);
    const end = mirror.endOf(stream);
    if (own === null) {
      const next = await this.#parts.sending.nextOf(stream, signal);
      return next === end.next ? this.#inMirror(append) : null;
    }
    if (end.next >= own.next) return this.#inMirror(append);
    if (mirror.stored(stream, ids).size > 0 || !own.highs.areNew(ids)) return null;
    return { state: own, stored: new Map(), highs: own.highs };
  }

  #inMirror({ stream, prepared, ids }: Append): Situation {
    const { mirror } = this.#parts;
    const byPlainId = mirror.stored(stream, ids);
    const stored = new Map<string, Stored>();
    for (const { id } of prepared) {
      const found = byPlainId.get(plainId(id));
      if (found !== undefined) stored.set(id, found);
    }
    return { state: mirror.endOf(stream), stored, highs: new Highs() };
  }

  async #positionNow(signal: AbortSignal): Promise<number> {
    await this.#parts.catchingUp.toNow(signal);
    return this.#parts.mirror.reading.lastPosition();
  }
}
