// The shards of a stage, and who has each. The claim with the highest fencing token counts. How long a claim holds is
// measured by the clock of this process from when it first saw the claim, so clocks of other machines do not matter.

import { randomUUID } from 'node:crypto';
import { type EventData, type NewEventOf, versionOf } from '../../../../schemas/catalogue.ts';
import type { NewEvent } from '../../../../schemas/envelope.ts';
import { IcecoreError } from '../../../../schemas/errors.ts';
import { parseStream, streamOf } from '../../../../schemas/streams.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { SealedAttempt } from '../../../ledger/seal/attempt.ts';
import type { StoredEvent } from '../../../ledger/stored.ts';
import { rolloutActor } from '../../evidence/parts.ts';
import { type AttemptLimits, type FinishedAttempt, Reports, withFinished } from '../../evidence/reported.ts';
import { displayName } from '../claim.ts';
import { isAppended } from '../journal.ts';

type Claimed = EventData['ShardClaimed'];
type Completed = EventData['ShardCompleted'];

interface ShardState {
  /** The highest so far; 0 if it was never claimed. */
  readonly fencingToken: number;
  /** Null if it is free. */
  readonly holder: string | null;
  readonly leaseMs: number;
  /** When this process saw the claim, or its last renewal. */
  readonly seenMs: number;
  readonly completed: Completed | null;
}

const untouched: ShardState = { fencingToken: 0, holder: null, leaseMs: 0, seenMs: 0, completed: null };

export class ShardLeases {
  readonly #ledger: Ledger;
  readonly #run: string;
  /** In milliseconds, monotonic. */
  readonly #now: () => number;
  readonly #standings = new Map<string, ShardState>();
  readonly #finished = new Map<string, readonly FinishedAttempt[]>();
  #orchestrator = { fencingToken: 0, holder: '' };
  #end = -1;

  constructor(ledger: Ledger, run: string, now: () => number = () => performance.now()) {
    this.#ledger = ledger;
    this.#run = run;
    this.#now = now;
  }

  /** The last revision read from the work stream. */
  get end(): number {
    return this.#end;
  }

  /** Continues from the last read event. */
  async read(): Promise<void> {
    for await (const events of this.#ledger.read(streamOf.work(this.#run), { from: this.#end + 1 })) {
      for (const event of events) this.#take(event);
    }
  }

  fencingTokenOf(stage: number, shard: number): number {
    return this.#standing(stage, shard).fencingToken;
  }

  isHeldBy(
    stage: number,
    { shard, fencingToken, holder }: Pick<Claimed, 'shard' | 'fencingToken' | 'holder'>,
  ): boolean {
    const standing = this.#standing(stage, shard);
    return standing.completed === null && standing.fencingToken === fencingToken && standing.holder === holder;
  }

  /** Its current holder: the process that completed it or claimed it last; otherwise the orchestrator of the run. */
  winnerOf(stage: number, shard: number): Pick<Claimed, 'holder' | 'fencingToken'> {
    const { completed, holder, fencingToken } = this.#standing(stage, shard);
    if (completed !== null) return completed;
    return holder === null ? this.#orchestrator : { holder, fencingToken };
  }

  /** The first shard that is free or whose lease expired; null if there is none. */
  openIn(stage: number, shards: number): number | null {
    const open = this.#all(stage, shards).findIndex((standing) => this.#leftMs(standing) <= 0);
    return open < 0 ? null : open;
  }

  /** The completions, by shard. */
  completedIn(stage: number, shards: number): readonly Completed[] {
    return this.#all(stage, shards).flatMap(({ completed }) => completed ?? []);
  }

  /** The reports of a part under valid claims, in order. */
  finishedAt(stage: number, part: string): readonly FinishedAttempt[] {
    return this.#finished.get(`${stage}/${part}`) ?? [];
  }

  /** The number of shards that are being worked on. */
  heldIn(stage: number, shards: number): number {
    return this.#all(stage, shards).filter(({ holder, completed }) => holder !== null && completed === null).length;
  }

  /** The time until the next lease expires; null if there is none. */
  untilOpen(stage: number, shards: number): number | null {
    const left = this.#all(stage, shards).map((standing) => this.#leftMs(standing));
    const soonest = Math.min(...left);
    return Number.isFinite(soonest) ? Math.max(0, soonest) : null;
  }

  /** A completed shard never becomes free again. */
  #leftMs({ completed, holder, leaseMs, seenMs }: ShardState): number {
    if (completed !== null) return Number.POSITIVE_INFINITY;
    return holder === null ? 0 : seenMs + leaseMs - this.#now();
  }

  #all(stage: number, shards: number): readonly ShardState[] {
    return Array.from({ length: shards }, (_, shard) => this.#standing(stage, shard));
  }

  #standing(stage: number, shard: number): ShardState {
    return this.#standings.get(`${stage}/${shard}`) ?? untouched;
  }

  /** Idempotent, because concurrent readers get the same events. */
  #take({ revision, reading, envelope }: StoredEvent): void {
    if (revision <= this.#end) return;
    this.#end = revision;
    if (!reading.known) return;
    const stage = envelope.stage ?? 0;
    if (reading.type === 'RunClaimed') this.#takeOver(reading.data);
    if (reading.type === 'ShardClaimed') this.#claimed(stage, reading.data);
    if (reading.type === 'ShardCompleted') this.#completed(stage, reading.data);
    if (reading.type === 'AttemptFinished') this.#reported(stage, reading.data);
  }

  #claimed(stage: number, { shard, fencingToken, holder, leaseSeconds }: Claimed): void {
    const before = this.#standing(stage, shard);
    if (before.completed !== null || (fencingToken <= before.fencingToken && holder !== before.holder)) return;
    const held = leaseSeconds === 0 ? null : holder;
    this.#put(stage, shard, { fencingToken, holder: held, leaseMs: leaseSeconds * 1000, seenMs: this.#now() });
  }

  #completed(stage: number, completed: Completed): void {
    const { shard } = completed;
    if (this.isHeldBy(stage, completed)) this.#put(stage, shard, { completed });
  }

  /** A shard belongs to its latest claimant; everything else is recorded by the orchestrator. */
  #reported(stage: number, finished: EventData['AttemptFinished']): void {
    const { part, fencingToken } = finished;
    const ofShard = this.#standings.get(`${stage}/${part}`);
    if (fencingToken !== (ofShard ?? this.#orchestrator).fencingToken) return;
    this.#finished.set(`${stage}/${part}`, withFinished(this.finishedAt(stage, part), finished));
  }

  /** A new orchestrator invalidates the shards of the previous one. */
  #takeOver({ fencingToken, holder, leaseSeconds }: EventData['RunClaimed']): void {
    if (fencingToken < this.#orchestrator.fencingToken) return;
    const before = this.#orchestrator.holder;
    this.#orchestrator = { fencingToken, holder };
    for (const [key, standing] of this.#standings) {
      const isOver = standing.holder === before && (before !== holder || leaseSeconds === 0);
      if (isOver && standing.completed === null) this.#standings.set(key, { ...standing, holder: null });
    }
  }

  #put(stage: number, shard: number, change: Partial<ShardState>): void {
    this.#standings.set(`${stage}/${shard}`, { ...this.#standing(stage, shard), ...change });
  }
}

/** A process that takes shards. */
export interface ShardTaker {
  readonly ledger: Ledger;
  readonly run: string;
  readonly leases: ShardLeases;
  readonly holder: string;
  readonly leaseSeconds: number;
  /** Throws if this process may not take any shards. */
  readonly check: () => Promise<void>;
  readonly bid: PendingClaim;
}

/**
 * The next claim of a process. If others came first, its id is used again for the next claim, for any shard: in stores
 * that keep every submitted event, a rejected one is then found at its final position.
 */
export class PendingClaim {
  id: string = randomUUID();
  /** The last claim that was rejected. */
  lost: ShardClaim | null = null;
}

type Place = Omit<EventData['ShardClaimed'], 'leaseSeconds' | 'measured'>;

/** Another process has taken over the shard: results written here do not count. */
export class ShardLost extends IcecoreError {
  override readonly name = 'ShardLost';

  constructor(
    run: string,
    stage: number,
    { shard, fencingToken }: Place,
    winner: { holder: string; fencingToken: number },
  ) {
    const who = displayName(winner.holder);
    super('conflict', `shard ${shard} of stage ${stage} was taken over by ${who}: results written here do not count`, {
      facts: { run, stage, shard, fencingToken, winner: winner.holder, winnerFencingToken: winner.fencingToken },
      remedy: 'No action is needed. If it happens often, use a longer --lease.',
    });
  }
}

export class ShardClaim {
  readonly stage: number;
  readonly place: Place;
  readonly #taker: ShardTaker;
  readonly #losing = new AbortController();
  #timer: NodeJS.Timeout | null = null;
  #renewal: Promise<void> = Promise.resolve();

  private constructor(taker: ShardTaker, stage: number, place: Place) {
    this.#taker = taker;
    this.stage = stage;
    this.place = place;
  }

  /** The first free shard; null if there is none. */
  static async take(taker: ShardTaker, stage: number, shards: number): Promise<ShardClaim | null> {
    const { leases, holder, leaseSeconds } = taker;
    for (;;) {
      await leases.read();
      const shard = leases.openIn(stage, shards);
      if (shard === null) return null;
      const before = leases.fencingTokenOf(stage, shard);
      const claim = new ShardClaim(taker, stage, { shard, attempt: before, fencingToken: before + 1, holder });
      if (await claim.#isWon(leaseSeconds)) return claim;
    }
  }

  /** Withdraws the last rejected claim, whose fencing token belongs to another process, so it affects nothing. */
  static async settle({ ledger, run, leases, bid }: ShardTaker): Promise<void> {
    const { id, lost } = bid;
    if (lost === null) return;
    const { stage, place } = lost;
    const fencingToken = leases.fencingTokenOf(stage, place.shard);
    const nothing = { ...place, fencingToken, attempt: fencingToken - 1, leaseSeconds: 0 };
    const letGo = shardEvent('ShardClaimed', { run, stage, id }, nothing);
    await ledger.append(streamOf.work(run), [letGo], { expect: 'any' });
    bid.lost = null;
  }

  /** Aborts with ShardLost once another process has the shard. */
  get signal(): AbortSignal {
    return this.#losing.signal;
  }

  /** Throws ShardLost. */
  async check(): Promise<void> {
    await this.#taker.leases.read();
    this.#requireHeld();
  }

  /** Throws ShardLost, and then has written nothing. */
  async complete(sealed: readonly SealedAttempt[]): Promise<void> {
    await this.#stop();
    const attempts = sealed.flatMap(({ stream, count, root }) => {
      const name = parseStream(stream);
      // With more shards than tasks, some are empty and have no streams.
      return name?.category === 'evidence' && count > 0 ? [{ attempt: name.attempt, count, root }] : [];
    });
    await this.#write('ShardCompleted', { ...this.place, attempts });
  }

  /** Reports attempts in the work stream while the shard is held; otherwise throws ShardLost and writes nothing. */
  reports(check: () => Promise<void>, limits: AttemptLimits): Reports {
    const { leases } = this.#taker;
    return new Reports({
      ...{ fencingToken: this.place.fencingToken, check, limits },
      finishedAt: async (stage, part) => {
        await leases.read();
        return leases.finishedAt(stage, part);
      },
      write: async (event) => await this.#append(event),
    });
  }

  /** Releases the claim at once. Errors are ignored, because the lease expires anyway. */
  async release(): Promise<void> {
    await this.#stop();
    await this.#write('ShardClaimed', { ...this.place, leaseSeconds: 0 }).catch(() => {});
  }

  async #isWon(leaseSeconds: number): Promise<boolean> {
    const { bid, run } = this.#taker;
    bid.lost = this;
    const claimed = { ...this.place, leaseSeconds };
    if (!(await this.#isAppended(shardEvent('ShardClaimed', { run, stage: this.stage, id: bid.id }, claimed))))
      return false;
    bid.lost = null;
    bid.id = randomUUID();
    this.#keep();
    return true;
  }

  /** After a suspension, the process notices the loss when it wakes up. */
  #keep(): void {
    const { leaseSeconds } = this.#taker;
    const renewed = async (): Promise<void> => {
      await this.#write('ShardClaimed', { ...this.place, leaseSeconds }).catch((fault: unknown) => {
        if (fault instanceof ShardLost) this.#losing.abort(fault);
      });
    };
    const renew = (): void => {
      this.#renewal = this.#renewal.then(renewed);
    };
    this.#timer = setInterval(renew, (leaseSeconds * 1000) / 3).unref();
  }

  async #stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    await this.#renewal;
  }

  #requireHeld(): void {
    const { leases, run } = this.#taker;
    const { shard } = this.place;
    if (leases.isHeldBy(this.stage, this.place)) return;
    throw new ShardLost(run, this.stage, this.place, leases.winnerOf(this.stage, shard));
  }

  async #write<Type extends 'ShardClaimed' | 'ShardCompleted'>(type: Type, data: EventData[Type]): Promise<void> {
    const { run } = this.#taker;
    await this.#append(shardEvent(type, { run, stage: this.stage, id: randomUUID() }, data));
  }

  async #append(event: NewEvent): Promise<void> {
    do {
      await this.check();
    } while (!(await this.#isAppended(event)));
  }

  /** False if another event came first. */
  async #isAppended(event: NewEvent): Promise<boolean> {
    const { run, leases } = this.#taker;
    return await isAppended(this.#taker, streamOf.work(run), leases.end, event);
  }
}

/** Its id is random, because it identifies a process. */
function shardEvent<Type extends 'ShardClaimed' | 'ShardCompleted'>(
  type: Type,
  { run, stage, id }: { readonly run: string; readonly stage: number; readonly id: string },
  data: EventData[Type],
): NewEventOf<Type> {
  return {
    id,
    type,
    version: versionOf(type),
    at: new Date().toISOString(),
    actor: rolloutActor,
    run,
    stage,
    causes: [],
    data,
  };
}

export type ShardProgress =
  | {
      readonly kind: 'shards';
      readonly stage: number;
      readonly completed: number;
      readonly of: number;
      /** The number of shards in progress, including those of this process. */
      readonly held: number;
    }
  | { readonly kind: 'shard-taken'; readonly stage: number; readonly shard: number; readonly of: number }
  | {
      readonly kind: 'shard-completed';
      readonly stage: number;
      readonly shard: number;
      readonly of: number;
      readonly events: number;
    }
  | { readonly kind: 'shard-lost'; readonly fault: ShardLost };
