// Verifies the ledger, or one run of it: compares all its content with its own hashes, chains, seals and blobs, and with a head
// that was stored elsewhere. The ledger is cut into pieces that several threads examine; memory does not grow with the ledger,
// and an interrupted verification can be resumed.
import { availableParallelism } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { eventTypes } from '../../../schemas/catalogue.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { EventType } from '../../../schemas/family.ts';
import type { LedgerHead } from '../../../schemas/head.ts';
import { mapInOrder } from '../../base/in-order.ts';
import { moduleBeside, Threads } from '../../base/threads.ts';
import { openBlobsIfThere } from '../blobs/open.ts';
import { BadCursor } from '../errors.ts';
import type { Cursor } from '../event.ts';
import type { Head, Ledger, OnWait } from '../ledger.ts';
import { openLedger } from '../open.ts';
import { streamsOfRun } from '../runs.ts';
import { typesOf } from '../stored.ts';
import { Account, type AccountState, type Tally } from './account.ts';
import { type Finding, finding, whyUnreadable } from './findings.ts';
import { endOf, pieceEvents, piecesAround } from './head-place.ts';
import { foreignHead } from './prove.ts';
import { type Job, type Outcome, type RangeJob, Scan } from './scan.ts';
import type { Answer, ScanSetup } from './scan-worker.ts';
import { readSeals, type SealIndex } from './seals.ts';

/** What to verify, and what to compare the ledger with. */
export interface VerifyOptions {
  /** The URL of the blob store; null: none. */
  readonly blobs: string | null;
  /** The id of the run to verify; null: everything. */
  readonly run: string | null;
  /** The state that the ledger must still contain; the caller checks its signature. */
  readonly head: LedgerHead | null;
  /** 1 means no worker threads; absent: as many threads as are worth starting. */
  readonly threads?: number;
  readonly signal?: AbortSignal;
  readonly onWait?: OnWait;
  /** Event types of plugins, with which their events are checked. */
  readonly types?: readonly EventType[] | undefined;
  readonly onProgress?: (tally: Tally, of: number | null) => Promise<void>;
  /** Where an earlier verification of everything was interrupted. */
  readonly from?: Interrupted | null;
  /** Called after every piece, with a function that returns the state to resume from. */
  readonly onState?: (state: () => Interrupted) => Promise<void>;
}

/** An unfinished verification. It must be stored privately: changing it could hide events from the verification. */
export interface Interrupted {
  readonly ledger: string;
  /** The root of the head it is compared with; null: none. */
  readonly head: string | null;
  readonly after: Cursor;
  readonly account: AccountState;
}

/** The outcome of a verification; the ledger is sound if `faults` is 0. */
export interface Verification {
  readonly ledger: string;
  readonly tally: Tally;
  /** Sealed attempts that were compared with their seals. */
  readonly attempts: number;
  readonly findings: readonly Finding[];
  /** Counts of all findings, including those omitted from `findings`. */
  readonly total: number;
  readonly faults: number;
  /** The last examined event; null for a run, and if the end of the ledger cannot be read. */
  readonly until: Cursor | null;
}

/** Starting a thread takes about as long as examining this many events. */
const eventsWorthAThread = 50_000;

/**
 * Objects of a thread live for one page of events. A bound on the heap, far above the need of a piece, prevents V8 from
 * accumulating garbage as long as the machine has memory.
 */
const room = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 256 };

/** A pool of threads, each with its own connections; or this thread, for a ledger so small that starting others would take longer. */
interface Workers {
  /** The number of concurrent jobs. */
  readonly ahead: number;
  look(job: Job): Promise<Outcome>;
  close(): Promise<void>;
}

/** Compares a ledger with its hashes, chains, seals and blobs. It is opened read-only and closed again. */
export async function verifyLedger(url: string, options: VerifyOptions): Promise<Verification> {
  const { onWait, types } = options;
  const ledger = await openLedger(url, { readOnly: true, types, ...(onWait === undefined ? {} : { onWait }) });
  try {
    return await verifyOpened(ledger, options);
  } finally {
    await ledger.close();
  }
}

/** Worker threads open the ledger again themselves. */
export function verifyOpened(ledger: Ledger, options: VerifyOptions): Promise<Verification> {
  return new Verifying(ledger, options).all();
}

class Verifying {
  readonly #ledger: Ledger;
  readonly #options: VerifyOptions;
  readonly #account: Account;

  constructor(ledger: Ledger, options: VerifyOptions) {
    this.#ledger = ledger;
    this.#options = options;
    this.#account = new Account(options.from?.account);
    if (options.head !== null && options.head.ledger !== ledger.id) throw foreignHead(options.head, ledger);
  }

  async all(): Promise<Verification> {
    const { run } = this.#options;
    const { sealIndex, findings } = await readSeals(this.#ledger, run);
    const end = await this.#end();
    const { scan, workers } = await this.#workers(sealIndex, end?.events ?? 0);
    try {
      const audit = workers.look({ kind: 'audit', run });
      // Its error surfaces where it is awaited at the end; this prevents an unhandled rejection before.
      audit.catch(() => {});
      if (end !== null) {
        const outcomes = mapInOrder(this.#jobs(end), workers.ahead, async (job) => {
          const outcome = await workers.look(job);
          // Lets a stop signal be processed even if nothing had to be awaited.
          await setImmediate();
          return { job, ...outcome };
        });
        for await (const { job, account, unchecked } of outcomes) {
          this.#account.join(account, sealIndex);
          if (unchecked.length > 0) this.#account.join(await scan.check(unchecked), sealIndex);
          await this.#report(job, run === null ? end.events : null);
        }
      }
      this.#account.join((await audit).account, sealIndex);
    } finally {
      await workers.close();
    }
    for (const one of findings) this.#account.findings.add(one);
    await this.#account.conclude(sealIndex, this.#ledger);
    // A head is of the whole ledger, so it cannot be compared with a single run.
    if (end !== null && run === null) await this.#compareWithHead(end.events);
    const { kept, total, faults } = this.#account.findings.toJSON();
    const { tally, attempts } = this.#account;
    const until = run === null ? (end?.cursor ?? null) : null;
    return { ledger: this.#ledger.id, tally, attempts, findings: kept, total, faults, until };
  }

  /** Null: the end of the ledger cannot be read; the audit still reports its faults. */
  async #end(): Promise<Head | null> {
    try {
      return await this.#ledger.head();
    } catch (error) {
      this.#account.findings.add(finding('unreadable', 'end', whyUnreadable(error)));
      return null;
    }
  }

  /** `scan` belongs to this thread, which has all event types. */
  async #workers(sealIndex: SealIndex, events: number): Promise<{ readonly scan: Scan; readonly workers: Workers }> {
    const worthTheirStart = Math.min(availableParallelism(), Math.floor(events / eventsWorthAThread));
    const { blobs, threads = worthTheirStart } = this.#options;
    if (threads > 1) {
      const own = [...typesOf(this.#ledger).keys()].filter((type) => !eventTypes.has(type));
      const setup: ScanSetup = { ledger: this.#ledger.url, blobs, sealIndex, own };
      const pool = new Threads<Job, Answer>(moduleBeside('scan-worker', import.meta.url), setup, threads, room);
      const look = async (job: Job): Promise<Outcome> => outcomeIn(await pool.do(job));
      const close = (): Promise<void> => pool.close(new Error('verification is over'));
      return { scan: new Scan(this.#ledger, null, sealIndex), workers: { ahead: 2 * threads, look, close } };
    }
    const opened = blobs === null ? null : await openBlobsIfThere(blobs);
    const scan = new Scan(this.#ledger, opened, sealIndex);
    return { scan, workers: { ahead: 1, look: (job) => scan.look(job), close: async () => opened?.close() } };
  }

  async #report(job: Job, of: number | null): Promise<void> {
    const { onProgress, onState, signal, head } = this.#options;
    await onProgress?.(this.#account.tally, of);
    if (job.kind === 'range') {
      await onState?.(() => ({
        ledger: this.#ledger.id,
        head: head?.root ?? null,
        after: job.until,
        account: this.#account.toJSON(),
      }));
    }
    signal?.throwIfAborted();
  }

  /** The pieces, as far as the content can be listed. */
  async *#jobs({ cursor, events }: Head): AsyncGenerator<Job> {
    const { run } = this.#options;
    try {
      yield* run === null ? this.#ranges(cursor) : this.#streams(run, events);
    } catch (error) {
      // A cursor to resume from that is invalid here is a mistake in the input.
      if (error instanceof BadCursor) throw error;
      const where = run === null ? 'ledger' : `streams of ${run}`;
      this.#account.findings.add(finding('unreadable', where, whyUnreadable(error)));
    }
  }

  /** With a head, a piece ends where the head ended, so that the tree over all events up to it is known. */
  async *#ranges(until: Cursor): AsyncGenerator<RangeJob> {
    const { head, from } = this.#options;
    let first = this.#account.leaves.to;
    const covered = head?.events ?? 0;
    for await (const range of piecesAround(this.#ledger, covered - first, { after: from?.after, until })) {
      yield { kind: 'range', ...range, first: first < covered ? first : null };
      first += range.events;
    }
  }

  async *#streams(run: string, events: number): AsyncGenerator<Job> {
    for await (const { stream, revision } of streamsOfRun(this.#ledger, run)) {
      // No stream is longer than the ledger, so a higher last revision is forged.
      const last = Math.min(revision, events - 1);
      for (let from = 0; from <= last; from += pieceEvents) {
        yield { kind: 'stream', stream, from, to: Math.min(from + pieceEvents - 1, last) };
      }
      if (last < revision) yield { kind: 'stream', stream, from: revision, to: revision };
    }
  }

  async #compareWithHead(events: number): Promise<void> {
    const { head } = this.#options;
    if (head === null) return;
    const { findings, leaves } = this.#account;
    const made = `the head of ${head.at}`;
    if (head.events > events) {
      const left = head.events - events;
      const isSplit = this.#ledger.capabilities.attempts === 'reported';
      const why = isSplit ? `${left} were cut off, or no run event reports them` : `the last ${left} were cut off`;
      findings.add(finding('cut-off', 'end', `${made} has ${head.events} events, the ledger ${events}: ${why}`));
    } else if (leaves.to !== head.events || leaves.root() !== head.root) {
      const why = (await this.#isOfThisStore(head)) ? `: ${changed}` : ofAnotherStore;
      const says = `the first ${head.events} events differ from those of ${made}${why}`;
      findings.add(finding('head-differs', 'ledger', says));
    }
  }

  /** Then the order of its events is that of the ledger. What cannot be read is already a fault. */
  async #isOfThisStore(head: LedgerHead): Promise<boolean> {
    try {
      return (await endOf(head, this.#ledger)) === head.cursor;
    } catch (error) {
      whyUnreadable(error);
      return true;
    }
  }
}

const changed = 'events were altered, removed or reordered';
const ofAnotherStore = `, which was made of another store: if there is a copy into a split ledger between the two, the order of events differs and they cannot be compared; otherwise ${changed}`;

function outcomeIn(answer: Answer): Outcome {
  if ('outcome' in answer) return answer.outcome;
  const { kind, message, ...more } = answer.refusal;
  throw new IcecoreError(kind, message, more);
}
