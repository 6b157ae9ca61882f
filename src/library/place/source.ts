// The input of a verb: a file, or a stream of bytes such as standard input.
import { fstatSync, type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { found, IcecoreError } from '../../../schemas/errors.ts';
import { openGivenFile } from '../../base/given-file.ts';
import { ofSystem } from '../faults.ts';
import type { Session } from '../session.ts';
import { refuseLedger } from './files.ts';

/** The path of a file, or a stream of bytes. */
export type Input = string | Readable;

/** An open input. */
export interface Source {
  /** Its name in messages. */
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Null if unknown in advance. */
  readonly totalBytes: number | null;
  /** Releases it, whether or not it was read to the end. */
  close(): void;
}

/** `ledgerFiles`: the files of the ledger in use. */
export function openSource(
  { cwd, signal }: Pick<Session, 'cwd' | 'signal'>,
  input: Input,
  ledgerFiles: readonly string[],
): Source {
  const path = typeof input === 'string' ? resolve(cwd, input) : null;
  const stats = typeof input === 'string' ? statsAt(resolve(cwd, input)) : statsOf(input);
  if (path !== null && stats?.isDirectory() === true)
    throw new IcecoreError('bad-input', `${path}: found a folder, allowed: a file`, { facts: { path } });
  if (stats !== null) refuseLedger(stats, path ?? 'standard input', ledgerFiles);
  const stream = path === null ? addAbortSignal(signal, input as Readable) : openGivenFile(path, signal);
  return {
    name: typeof input === 'string' ? input : 'standard input',
    bytes: bytesOf(stream),
    totalBytes: stats?.isFile() === true ? stats.size : null,
    close: () => stream.destroy(),
  };
}

/** Throws `not-found` and the like as errors of icecore. */
export function statsAt(path: string): Stats {
  try {
    return statSync(path);
  } catch (fault) {
    throw ofSystem(fault);
  }
}

/** Text becomes the bytes that it was decoded from; text of a program becomes UTF-8. */
async function* bytesOf(stream: Readable): AsyncGenerator<Uint8Array> {
  const encoding = stream.readableEncoding ?? 'utf8';
  for await (const piece of stream as AsyncIterable<unknown>) {
    if (piece instanceof Uint8Array) yield piece;
    else if (typeof piece === 'string') yield Buffer.from(piece, encoding);
    else throw new IcecoreError('bad-input', `the stream: found ${found(piece)}, allowed: bytes or text`);
  }
}

/** Standard input may be a file, and even the ledger. */
function statsOf(stream: Readable): Stats | null {
  const { fd } = stream as { fd?: unknown };
  return typeof fd === 'number' ? fstatSync(fd) : null;
}
