// Access to the ledger's file through SQLite: translates SQLite's errors, waits for locks without blocking the process, and
// refuses calls after the ledger is closed.
import { setTimeout as sleep } from 'node:timers/promises';
import { IcecoreError } from '../../../schemas/errors.ts';
import { messageOf, StorageFailed } from '../../base/folders.ts';
import { damagedLedger, LedgerClosed, ledgerBusy, NotALedger } from '../errors.ts';

/** SQLite's primary result codes; an extended code has one in its lowest byte. */
const code = {
  error: 1,
  busy: 5,
  locked: 6,
  readonly: 8,
  ioerr: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  tooBig: 18,
  notADatabase: 26,
};

function resultCode(error: unknown): number {
  const found = (error as { errcode?: unknown } | null)?.errcode;
  return typeof found === 'number' ? found & 0xff : 0;
}

/** Another connection holds a lock at the moment, so it is worth retrying. */
export function isBusy(error: unknown): boolean {
  return [code.busy, code.locked].includes(resultCode(error));
}

/** The medium does not allow locks: SQLite could not create or open the files next to the database. */
export function cannotLock(error: unknown): boolean {
  return [code.cantOpen, code.readonly].includes(resultCode(error));
}

/** Translates an error of SQLite; other errors are returned unchanged. */
export function translate(error: unknown, path: string): unknown {
  if (error instanceof IcecoreError) return error;
  const message = messageOf(error);
  if (isImpossible(error)) return damagedLedger(path, message, error);
  switch (resultCode(error)) {
    case code.full:
      return new StorageFailed(path, 'the disk is full; nothing of this append was stored', freeSpace, error);
    case code.readonly:
      return new StorageFailed(path, 'the file or its folder cannot be written', makeWritable, error);
    case code.cantOpen:
      return new StorageFailed(path, 'the file cannot be opened', makeWritable, error);
    case code.ioerr:
      return new StorageFailed(path, `reading or writing failed (${message})`, checkDisk, error);
    case code.corrupt:
      return damagedLedger(path, message, error);
    case code.tooBig:
      return damagedLedger(path, 'it contains a value larger than any that icecore writes', error);
    case code.notADatabase:
      return new NotALedger(path, 'the file is not a SQLite database');
    default:
      return error;
  }
}

/** A number wider than any in a ledger, or a missing table. */
function isImpossible(error: unknown): boolean {
  if ((error as { code?: unknown } | null)?.code === 'ERR_OUT_OF_RANGE') return true;
  return resultCode(error) === code.error && /^no such (?:table|column)/.test((error as Error).message);
}

const freeSpace = 'Free some space and run the same command again: events are not stored twice.';
const makeWritable =
  'Check the owner and permissions of the file and its folder, or choose another place with --ledger.';
const checkDisk = 'Check the disk, then run `icecore doctor`.';

/** No healthy ledger is locked for this long. */
const patienceMs = 60_000;

/**
 * The longest pause between two tries. It shrinks as the wait grows, so that the longest waiter tries most often, which keeps
 * many writers fair. SQLite's own busy timeout would stall the event loop and starve writers.
 */
const longestPauseMs = 12;

/** Runs `attempt` again until it does not encounter a lock. */
export async function retry<Result>(path: string, attempt: () => Result, signal?: AbortSignal): Promise<Result> {
  signal?.throwIfAborted();
  const started = performance.now();
  for (;;) {
    let pause: number;
    try {
      return attempt();
    } catch (error) {
      pause = pauseAfter(error, path, started);
    }
    await sleep(pause, undefined, signal === undefined ? {} : { signal }).catch(() => signal?.throwIfAborted());
  }
}

/** The pause before the next try, in milliseconds. Throws if retrying is pointless. */
function pauseAfter(error: unknown, path: string, started: number): number {
  if (!isBusy(error)) throw error;
  const waited = performance.now() - started;
  if (waited > patienceMs) throw ledgerBusy(path, Math.round(waited / 1000));
  return Math.random() * Math.max(1, longestPauseMs / (1 + waited / 50));
}

/** The state of one open ledger. */
export class FileAccess {
  readonly #path: string;
  readonly #url: string;
  readonly #closed = new AbortController();

  constructor(path: string, url: string) {
    this.#path = path;
    this.#url = url;
  }

  /** From now on, work that waits for a lock or has not started is refused. */
  close(): void {
    this.#closed.abort();
  }

  requireOpen(): void {
    if (this.#closed.signal.aborted) throw new LedgerClosed(this.#url);
  }

  /** Aborts when the ledger is closed or the caller's own signal aborts. */
  untilClosed(signal: AbortSignal | undefined): AbortSignal {
    return AbortSignal.any([this.#closed.signal, ...(signal === undefined ? [] : [signal])]);
  }

  /** Does the step at once if there is no lock, otherwise as soon as there is none. */
  async run<Result>(step: () => Result, signal?: AbortSignal): Promise<Result> {
    const stepIfOpen = (): Result => {
      this.requireOpen();
      return step();
    };
    try {
      return await retry(this.#path, stepIfOpen, signal);
    } catch (error) {
      throw translate(error, this.#path);
    }
  }
}
