// The input of a command: a file or standard input, as bytes.
import { createReadStream, fstatSync, type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { IcecoreError } from '../../schemas/errors.ts';
import type { Context } from './context.ts';

export interface Source {
  /** As a person would call it. */
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Null where it is not known beforehand. */
  readonly totalBytes: number | null;
  /** Lets go of it, whether or not it has come to its end. */
  close(): void;
}

/**
 * `ledgerFiles`: those of the ledger that is in use meanwhile. `noun` is what somebody may type who gives
 * neither a file nor a pipe.
 */
export async function openSource(
  context: Context,
  file: string,
  ledgerFiles: readonly string[],
  noun: string,
): Promise<Source> {
  if (file === '-') return await standardInput(context, ledgerFiles, noun);
  const path = resolve(context.io.cwd, file);
  const stats = statSync(path);
  if (stats.isDirectory()) throw noFile(path);
  refuseLedger(stats, path, ledgerFiles);
  const stream = createReadStream(path);
  return {
    name: file,
    bytes: addAbortSignal(context.signal, stream),
    totalBytes: stats.isFile() ? stats.size : null,
    close: () => stream.destroy(),
  };
}

async function standardInput(context: Context, ledgerFiles: readonly string[], noun: string): Promise<Source> {
  const { stdin } = context.io;
  if (stdin.isTTY === true) await context.say(`reading ${noun} from the terminal; Ctrl-D ends`);
  const { fd } = stdin as { fd?: number };
  const stats = fd === undefined ? null : fstatSync(fd);
  if (stats !== null) refuseLedger(stats, 'standard input', ledgerFiles);
  return {
    name: 'standard input',
    bytes: addAbortSignal(context.signal, stdin),
    totalBytes: stats?.isFile() === true ? stats.size : null,
    close: () => stdin.destroy(),
  };
}

/** The file that `option` names may be written without touching the input or the ledger, if there is one in use. */
export function refuseToOverwrite(
  context: Context,
  file: string,
  source: string,
  ledgerFiles: readonly string[],
  option = '--rejects',
): string {
  const path = resolve(context.io.cwd, file);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return path;
  refuseLedger(stats, path, ledgerFiles);
  const input = source === '-' ? undefined : statSync(resolve(context.io.cwd, source), { throwIfNoEntry: false });
  if (input !== undefined && isSameFile(stats, input)) {
    throw new IcecoreError('usage', `${option} names the input itself, ${file}`, {
      facts: { path },
      remedy: 'Name another file: this one would be overwritten.',
    });
  }
  return path;
}

/**
 * To open and close the database file beside SQLite would drop the locks this process holds on it, and two processes
 * would both believe they wrote.
 */
function refuseLedger(stats: Stats, name: string, ledgerFiles: readonly string[]): void {
  for (const path of ledgerFiles) {
    for (const suffix of ['', '-wal', '-shm']) {
      const own = statSync(path + suffix, { throwIfNoEntry: false });
      if (own === undefined || !isSameFile(stats, own)) continue;
      throw new IcecoreError('usage', `${name} is the ledger itself`, {
        facts: { path },
        remedy: 'To read a ledger, use icecore event tail --json.',
      });
    }
  }
}

function isSameFile(a: Stats, b: Stats): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}

function noFile(path: string): IcecoreError {
  return new IcecoreError('bad-input', `${path}: found a folder, allowed: a file`, { facts: { path } });
}
