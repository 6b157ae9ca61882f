// Who has which shard of a run's stages, as its work stream tells. Of several claims of a shard the one with the highest
// fencing token counts. How long it holds is counted by the clock of this process, from when it first saw the claim: what any
// other clock says matters nowhere.
import type { EventData } from '../../../../schemas/catalogue.ts';
import { streamOf } from '../../../../schemas/streams.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { StoredEvent } from '../../../ledger/stored.ts';
import { type FinishedAttempt, withFinished } from '../../evidence/reports.ts';

type Claimed = EventData['ShardClaimed'];
type Completed = EventData['ShardCompleted'];

interface Standing {
  /** The highest there ever was; 0 where nobody ever claimed it. */
  readonly fencingToken: number;
  /** Null where nobody has it. */
  readonly holder: string | null;
  readonly leaseMs: number;
  /** When this process saw the claim, or its last renewal. */
  readonly seenMs: number;
  readonly completed: Completed | null;
}

const untouched: Standing = { fencingToken: 0, holder: null, leaseMs: 0, seenMs: 0, completed: null };

export class Board {
  readonly #ledger: Ledger;
  readonly #run: string;
  /** In milliseconds; it never goes back. */
  readonly #now: () => number;
  readonly #standings = new Map<string, Standing>();
  readonly #finished = new Map<string, readonly FinishedAttempt[]>();
  #orchestrator = { fencingToken: 0, holder: '' };
  #end = -1;

  constructor(ledger: Ledger, run: string, now: () => number = () => performance.now()) {
    this.#ledger = ledger;
    this.#run = run;
    this.#now = now;
  }

  /** The last revision of the work stream that was read. */
  get end(): number {
    return this.#end;
  }

  /** Goes on from what was read before. */
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

  /** Who has it by now: whoever completed it, or claimed it last; where nobody did, whoever conducts the run. */
  winnerOf(stage: number, shard: number): Pick<Claimed, 'holder' | 'fencingToken'> {
    const { completed, holder, fencingToken } = this.#standing(stage, shard);
    if (completed !== null) return completed;
    return holder === null ? this.#orchestrator : { holder, fencingToken };
  }

  /** The first shard that nobody has, or had for longer than was claimed; null where there is none. */
  openIn(stage: number, shards: number): number | null {
    const open = this.#all(stage, shards).findIndex((standing) => this.#leftMs(standing) <= 0);
    return open < 0 ? null : open;
  }

  /** What was completed, by shard. */
  completedIn(stage: number, shards: number): readonly Completed[] {
    return this.#all(stage, shards).flatMap(({ completed }) => completed ?? []);
  }

  /** What was reported of a part under claims that held then, in its order. */
  finishedAt(stage: number, part: string): readonly FinishedAttempt[] {
    return this.#finished.get(`${stage}/${part}`) ?? [];
  }

  /** How many shards somebody has in hand. */
  heldIn(stage: number, shards: number): number {
    return this.#all(stage, shards).filter(({ holder, completed }) => holder !== null && completed === null).length;
  }

  /** How long until a claim that is not renewed ends; null where nobody has any. */
  untilOpen(stage: number, shards: number): number | null {
    const left = this.#all(stage, shards).map((standing) => this.#leftMs(standing));
    const soonest = Math.min(...left);
    return Number.isFinite(soonest) ? Math.max(0, soonest) : null;
  }

  /** What is completed never opens again. */
  #leftMs({ completed, holder, leaseMs, seenMs }: Standing): number {
    if (completed !== null) return Number.POSITIVE_INFINITY;
    return holder === null ? 0 : seenMs + leaseMs - this.#now();
  }

  #all(stage: number, shards: number): readonly Standing[] {
    return Array.from({ length: shards }, (_, shard) => this.#standing(stage, shard));
  }

  #standing(stage: number, shard: number): Standing {
    return this.#standings.get(`${stage}/${shard}`) ?? untouched;
  }

  /** Twice is as good as once: two who read at the same time are told of the same events. */
  #take({ revision, reading, envelope }: StoredEvent): void {
    if (revision <= this.#end) return;
    this.#end = revision;
    if (!reading.known) return;
    const stage = envelope.stage ?? 0;
    if (reading.type === 'RunClaimed') this.#conducted(reading.data);
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

  /** A shard that was ever claimed is its claimant's; everything else is recorded by whoever conducts the run. */
  #reported(stage: number, finished: EventData['AttemptFinished']): void {
    const { part, fencingToken } = finished;
    const ofShard = this.#standings.get(`${stage}/${part}`);
    if (fencingToken !== (ofShard ?? this.#orchestrator).fencingToken) return;
    this.#finished.set(`${stage}/${part}`, withFinished(this.finishedAt(stage, part), finished));
  }

  /** Whoever no longer conducts the run has no shard of it any more. */
  #conducted({ fencingToken, holder, leaseSeconds }: EventData['RunClaimed']): void {
    if (fencingToken < this.#orchestrator.fencingToken) return;
    const before = this.#orchestrator.holder;
    this.#orchestrator = { fencingToken, holder };
    for (const [key, standing] of this.#standings) {
      const isOver = standing.holder === before && (before !== holder || leaseSeconds === 0);
      if (isOver && standing.completed === null) this.#standings.set(key, { ...standing, holder: null });
    }
  }

  #put(stage: number, shard: number, change: Partial<Standing>): void {
    this.#standings.set(`${stage}/${shard}`, { ...this.#standing(stage, shard), ...change });
  }
}
