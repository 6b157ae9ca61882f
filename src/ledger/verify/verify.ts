// Verification: everything the ledger holds, or one run of it, held against its own hashes, chains, seals and blobs, and
// against a head that was kept elsewhere. The ledger is cut into pieces that several threads look at; memory does not grow
// with it, and what was looked at need not be looked at again after an interruption.
import { availableParallelism } from 'node:os';
import type { LedgerHead } from '../../../schemas/head.ts';
import { openBlobsIfThere } from '../blobs/open.ts';
import { BadCursor } from '../errors.ts';
import { type Cursor, isWithin } from '../event.ts';
import type { Ledger, OnWait } from '../ledger.ts';
import { openLedger } from '../open.ts';
import { streamsOfRun } from '../runs.ts';
import { Account, type AccountState } from './account.ts';
import type { Crew } from './crew.ts';
import { type Finding, whyUnreadable } from './findings.ts';
import { ForeignHead } from './foreign-head.ts';
import { Here } from './here.ts';
import type { Job, RangeJob, Tally } from './jobs.ts';
import { Pool } from './pool.ts';
import { Scan } from './scan.ts';
import { gatherVouchers, type Vouchers } from './vouchers.ts';

export interface VerifyOptions {
  /** The URL of the blob store; null where there is none. */
  readonly blobs: string | null;
  /** The identity of the run to verify; null: everything. */
  readonly run: string | null;
  /** What the ledger must still hold; its signature is for the caller to check. */
  readonly head: LedgerHead | null;
  /** 1 means this thread alone; without it, as many threads as are worth their start. */
  readonly threads?: number;
  readonly signal?: AbortSignal;
  readonly onWait?: OnWait;
  readonly onProgress?: (tally: Tally, of: number | null) => Promise<void>;
  /** Where an earlier verification of everything was interrupted. */
  readonly from?: Interrupted | null;
  /** Called after every piece; the function it is given tells where an interruption would leave the verification. */
  readonly onState?: (state: () => Interrupted) => Promise<void>;
}

/** A verification that was not finished. Whoever can change it can have events passed over: it is for one's own eyes. */
export interface Interrupted {
  readonly ledger: string;
  /** The root of the head it was held against; null for none. */
  readonly head: string | null;
  readonly after: Cursor;
  readonly account: AccountState;
}

export interface Verification {
  readonly ledger: string;
  readonly tally: Tally;
  /** Sealed attempts that were held against their seals. */
  readonly attempts: number;
  readonly findings: readonly Finding[];
  /** Of all findings, those left out of `findings` included. */
  readonly total: number;
  readonly faults: number;
  /** The last event that was looked at; null for a run, and where the end of the ledger cannot be read. */
  readonly until: Cursor | null;
}

/** So many events are one piece of work. */
const pieceEvents = 10_000;

/** A thread takes about as long to start as one that is there takes to look at so many events. */
const eventsWorthAThread = 50_000;

export async function verifyLedger(url: string, options: VerifyOptions): Promise<Verification> {
  const { onWait } = options;
  const ledger = await openLedger(url, { readOnly: true, ...(onWait === undefined ? {} : { onWait }) });
  try {
    return await verifyOpened(ledger, options);
  } finally {
    await ledger.close();
  }
}

/** Threads, where they are used, open it again for themselves. */
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
    if (options.head !== null && options.head.ledger !== ledger.id) throw new ForeignHead(options.head, ledger);
  }

  async all(): Promise<Verification> {
    const { run } = this.#options;
    const { vouchers, findings } = await gatherVouchers(this.#ledger, run);
    const end = await this.#end();
    const crew = await this.#crew(vouchers, end.events);
    try {
      const audit = crew.do({ kind: 'audit', run });
      // Whoever awaits it at the end meets its fault; until then it is no unhandled one.
      audit.catch(() => {});
      const jobs = this.#jobs(end);
      const of = run === null ? end.events : null;
      for await (const [job, outcome] of crew.run(jobs)) {
        this.#account.take(job, outcome, vouchers);
        await this.#tell(job, of);
      }
      this.#account.findings.join((await audit).findings);
    } finally {
      await crew.close();
    }
    for (const finding of findings) this.#account.findings.add(finding);
    await this.#account.conclude(vouchers, this.#ledger);
    if (end.cursor !== null) this.#holdAgainstHead(end.events);
    return this.#verification(run === null ? end.cursor : null);
  }

  /** Where the end of the ledger cannot be read, its audit still says what is wrong with it. */
  async #end(): Promise<{ readonly cursor: Cursor | null; readonly events: number }> {
    try {
      return await this.#ledger.head();
    } catch (error) {
      this.#unreadable('end', error);
      return { cursor: null, events: 0 };
    }
  }

  #unreadable(where: string, error: unknown): void {
    this.#account.findings.add({ kind: 'unreadable', where, event: null, says: whyUnreadable(error) });
  }

  async #crew(vouchers: Vouchers, events: number): Promise<Crew> {
    const worthTheirStart = Math.min(availableParallelism(), Math.floor(events / eventsWorthAThread));
    const { blobs, threads = worthTheirStart } = this.#options;
    if (threads > 1) return new Pool({ ledger: this.#ledger.url, blobs, vouchers }, threads);
    const opened = blobs === null ? null : await openBlobsIfThere(blobs);
    return new Here(new Scan(this.#ledger, opened, vouchers), opened);
  }

  async #tell(job: Job, of: number | null): Promise<void> {
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

  /** As far as it can be seen what there is to look at. */
  async *#jobs({ cursor, events }: { readonly cursor: Cursor | null; readonly events: number }): AsyncGenerator<Job> {
    const { run } = this.#options;
    if (cursor === null) return;
    try {
      yield* run === null ? this.#ranges(cursor, events) : this.#streams(run, events);
    } catch (error) {
      // A head whose end this ledger never gave is a mistake of whoever handed it in.
      if (error instanceof BadCursor) throw error;
      this.#unreadable(run === null ? 'ledger' : `streams of ${run}`, error);
    }
  }

  /** Where there is a head, one piece ends where it ended, so that the tree over all events can be had for it. */
  async *#ranges(end: Cursor, events: number): AsyncGenerator<RangeJob> {
    const { head, from } = this.#options;
    const isThere = head !== null && head.events > 0 && isWithin(this.#ledger.compareCursors(head.cursor, end));
    const covered = isThere && head.events <= events ? head.cursor : null;
    let first = this.#account.leaves.to;
    let after = from?.after;
    if (covered !== null && (after === undefined || this.#ledger.compareCursors(after, covered) === 'before')) {
      for (const range of await this.#cut(after, covered)) {
        yield { kind: 'range', ...range, first };
        first += range.events;
      }
      after = covered;
    }
    for (const range of await this.#cut(after, end)) yield { kind: 'range', ...range, first: null };
  }

  #cut(after: Cursor | undefined, until: Cursor): ReturnType<Ledger['ranges']> {
    return this.#ledger.ranges(pieceEvents, { ...(after === undefined ? {} : { after }), until });
  }

  async *#streams(run: string, events: number): AsyncGenerator<Job> {
    for await (const { stream, revision } of streamsOfRun(this.#ledger, run)) {
      // No stream is longer than the ledger: a last revision beyond that was never written, and would never be reached.
      const last = Math.min(revision, events - 1);
      for (let from = 0; from <= last; from += pieceEvents) {
        yield { kind: 'stream', stream, from, to: Math.min(from + pieceEvents - 1, last) };
      }
      if (last < revision) yield { kind: 'stream', stream, from: revision, to: revision };
    }
  }

  #holdAgainstHead(events: number): void {
    const { head, run } = this.#options;
    // A head is of everything: of one run it can tell nothing.
    if (head === null || run !== null) return;
    const { findings, leaves } = this.#account;
    const made = `the head of ${head.at}`;
    if (head.events > events) {
      const says = `${made} knows ${head.events} events, ${events} are there: the last ${head.events - events} were cut off`;
      findings.add({ kind: 'cut-off', where: 'end', event: null, says });
    } else if (leaves.to !== head.events || leaves.root() !== head.root) {
      const says = `the first ${head.events} events are not those of ${made}: something was altered, removed or reordered`;
      findings.add({ kind: 'head-differs', where: 'ledger', event: null, says });
    }
  }

  #verification(until: Cursor | null): Verification {
    const { kept, total, faults } = this.#account.findings.toJSON();
    const { tally, attempts } = this.#account;
    return { ledger: this.#ledger.id, tally, attempts, findings: kept, total, faults, until };
  }
}
