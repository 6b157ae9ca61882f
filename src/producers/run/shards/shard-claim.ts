// A shard in the hands of a process. Each claim has a fencing token of its own, higher than all before it, and with it an attempt
// of its own: so nobody ever writes into another's evidence, and what a late comer wrote is in an attempt that nobody
// seals. As long as the process works, the claim is renewed.
import { randomUUID } from 'node:crypto';
import { type EventData, type NewEventOf, versionOf } from '../../../../schemas/catalogue.ts';
import type { NewEvent } from '../../../../schemas/envelope.ts';
import { IcecoreError } from '../../../../schemas/errors.ts';
import { parseStream, streamOf } from '../../../../schemas/streams.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { SealedAttempt } from '../../../ledger/seal/attempt.ts';
import { rolloutActor } from '../../evidence/parts.ts';
import { type AttemptLimits, Reports } from '../../evidence/reports.ts';
import { spoken } from '../holder.ts';
import { isAppended } from '../writing.ts';
import type { Board } from './board.ts';

/** Who takes shards. */
export interface Taker {
  readonly ledger: Ledger;
  readonly run: string;
  readonly board: Board;
  readonly holder: string;
  readonly leaseSeconds: number;
  /** Throws where this process may take none any more. */
  readonly check: () => Promise<void>;
  readonly bid: Bid;
}

/**
 * The claim that a process is about to make. Where others came first, the next one goes by the same id, whatever it is for:
 * in stores that keep whatever was sent, what was sent in vain is then found where it stands in the end.
 */
export class Bid {
  id: string = randomUUID();
  /** For what it was made in vain last. */
  lost: ShardClaim | null = null;
}

type Place = Omit<EventData['ShardClaimed'], 'leaseSeconds' | 'measured'>;

/** Somebody else has the shard by now: what was written here does not count. */
export class ShardLost extends IcecoreError {
  override readonly name = 'ShardLost';

  constructor(
    run: string,
    stage: number,
    { shard, fencingToken }: Place,
    winner: { holder: string; fencingToken: number },
  ) {
    const who = spoken(winner.holder);
    super(
      'conflict',
      `shard ${shard} of stage ${stage} was taken over by ${who}: what was written here does not count`,
      {
        facts: { run, stage, shard, fencingToken, winner: winner.holder, winnerFencingToken: winner.fencingToken },
        remedy: 'Nothing is to be done. Where that happens often, let claims hold longer: --lease.',
      },
    );
  }
}

export class ShardClaim {
  readonly stage: number;
  readonly place: Place;
  readonly #taker: Taker;
  readonly #losing = new AbortController();
  #timer: NodeJS.Timeout | null = null;
  #renewal: Promise<void> = Promise.resolve();

  private constructor(taker: Taker, stage: number, place: Place) {
    this.#taker = taker;
    this.stage = stage;
    this.place = place;
  }

  /** The first of the shards that is open; null where none is. */
  static async take(taker: Taker, stage: number, shards: number): Promise<ShardClaim | null> {
    const { board, holder, leaseSeconds } = taker;
    for (;;) {
      await board.read();
      const shard = board.openIn(stage, shards);
      if (shard === null) return null;
      const before = board.fencingTokenOf(stage, shard);
      const claim = new ShardClaim(taker, stage, { shard, attempt: before, fencingToken: before + 1, holder });
      if (await claim.#isWon(leaseSeconds)) return claim;
    }
  }

  /** Lets go of what was claimed in vain last, under a fencing token that is another's: so it changes nothing for anybody. */
  static async settle({ ledger, run, board, bid }: Taker): Promise<void> {
    const { id, lost } = bid;
    if (lost === null) return;
    const { stage, place } = lost;
    const fencingToken = board.fencingTokenOf(stage, place.shard);
    const nothing = { ...place, fencingToken, attempt: fencingToken - 1, leaseSeconds: 0 };
    const letGo = shardEvent('ShardClaimed', { run, stage, id }, nothing);
    await ledger.append(streamOf.work(run), [letGo], { expect: 'any' });
    bid.lost = null;
  }

  /** Aborts, with ShardLost, once somebody else has it. */
  get signal(): AbortSignal {
    return this.#losing.signal;
  }

  /** Throws ShardLost. */
  async check(): Promise<void> {
    await this.#taker.board.read();
    this.#requireHeld();
  }

  /** Throws ShardLost, and has written nothing then. */
  async complete(sealed: readonly SealedAttempt[]): Promise<void> {
    await this.#stop();
    const attempts = sealed.flatMap(({ stream, count, root }) => {
      const name = parseStream(stream);
      // Of more shards than tasks some have none: no stream of theirs is there.
      return name?.category === 'evidence' && count > 0 ? [{ attempt: name.attempt, count, root }] : [];
    });
    await this.#write('ShardCompleted', { ...this.place, attempts });
  }

  /** Reports attempts at it in the work stream, as long as it is held: ShardLost else, and nothing is written. */
  reports(check: () => Promise<void>, limits: AttemptLimits): Reports {
    const { board } = this.#taker;
    return new Reports({
      ...{ fencingToken: this.place.fencingToken, check, limits },
      finishedAt: async (stage, part) => {
        await board.read();
        return board.finishedAt(stage, part);
      },
      write: async (event) => await this.#append(event),
    });
  }

  /** Gives it back: whoever wants it has it at once. What goes wrong with that is nobody's trouble: a lease ends. */
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

  /** Also where the process slept: it notices when it wakes. */
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
    const { board, run } = this.#taker;
    const { shard } = this.place;
    if (board.isHeldBy(this.stage, this.place)) return;
    throw new ShardLost(run, this.stage, this.place, board.winnerOf(this.stage, shard));
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

  /** False where something came in between. */
  async #isAppended(event: NewEvent): Promise<boolean> {
    const { run, board } = this.#taker;
    return await isAppended(this.#taker, streamOf.work(run), board.end, event);
  }
}

/** Its id is drawn by lot: it tells of a process, and none has another's. */
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
