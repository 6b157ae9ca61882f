// The input of a command: a file or standard input, as bytes.
import { createReadStream, fstatSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { IcecoreError } from '../../schemas/errors.ts';
import { refuseLedger } from '../library/place/files.ts';
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

function noFile(path: string): IcecoreError {
  return new IcecoreError('bad-input', `${path}: found a folder, allowed: a file`, { facts: { path } });
}
