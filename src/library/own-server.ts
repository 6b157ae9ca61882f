// The server of a workspace, as commands of its owner use it: it keeps the tables fresh and has DuckDB loaded, so its answers come
// sooner. They ask on its socket, which only the owner can open. Whatever is wrong with the server, a command does the work itself.
import { lstatSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { dirname, join, resolve } from 'node:path';
import { parseJson } from '../../schemas/json-text.ts';
import { fileInstance } from '../base/regular-file.ts';
import { sha256 } from '../ledger/identity/ids.ts';
import type { Standing } from '../projections/current-tables.ts';
import { findPlace, type Place } from './place/place.ts';
import type { Session } from './session.ts';
import type { Format } from './sql/formats/write.ts';
import { type ErrorRecord, errorFrom } from './sql/process/messages.ts';
import { icecoreVersion } from './version.ts';

export function ownerSocket(workspace: string): string {
  return join(workspace, 'server', 'socket');
}

export const ownerPaths = { sql: '/owner/sql', refresh: '/owner/refresh' } as const;

/** The header that says what a command wants to ask about; the server must serve exactly that. */
export const placeHeader = 'icecore-place';

/** A query with the form of its answer. */
export interface OwnerQuestion {
  readonly sql: string;
  readonly format: Format;
  readonly limit: number | null;
  readonly isTTY: boolean;
  readonly columns: number;
  readonly colours: boolean;
  readonly more: string;
}

/** What an answer to the owner consists of: its standing, then bytes, then its end. Without an end, the server was killed. */
export type OwnerPiece =
  /** The server waits for its turn, or refreshes the tables. */
  | { readonly piece: 'working' }
  | { readonly piece: 'standing'; readonly standing: Standing }
  | { readonly piece: 'bytes'; readonly bytes: Uint8Array }
  | { readonly piece: 'done'; readonly rows: number }
  | { readonly piece: 'failed'; readonly error: ErrorRecord };

/** What a command prints. */
export type OwnerAnswer = { readonly standing: Standing | null } & (
  | { readonly bytes: readonly Uint8Array[]; readonly rows: number }
  | { readonly fault: Error }
);

/** The version, the ledger, the file of it and the tables: null if there is another file than the one that was first seen. */
export class ServedPlace {
  readonly #ledger: Place['ledger'];
  readonly #tables: string | null;
  #first: string | null = null;

  constructor(ledger: Place['ledger'], { env, cwd }: Pick<Session, 'env' | 'cwd'>) {
    const named = env['ICECORE_TABLES'];
    this.#ledger = ledger;
    this.#tables = named ? resolve(cwd, named) : null;
  }

  get key(): string | null {
    const { url, files } = this.#ledger;
    const file = files[0] === undefined ? '' : fileInstance(files[0]);
    this.#first ??= file;
    if (file !== this.#first) return null;
    return sha256(JSON.stringify([icecoreVersion(), url, file, this.#tables]));
  }
}

/** The longest silence of a server before its answer: it says once a second that it is working. */
const longestSilenceMs = 3_000;

/** The time until it answers, which includes refreshing the tables. */
const patienceMs = 15_000;

/** The longest pause in an answer: a query has 60 s. */
const longestPauseMs = 80_000;

/** A longer answer is made by the command itself, so that nothing is printed of an answer that may have no end. */
const mostHeldBytes = 16 * 2 ** 20;

/** Errors of the query itself, which the command would get as well. */
const ofQuery: readonly (string | null)[] = ['bad-input', 'not-found', 'unavailable'];

/** Sockets of servers that did not answer: they are asked no more. */
const failed = new Set<string>();

export class OwnServer {
  readonly #socket: string;
  readonly #key: string;

  private constructor(socket: string, key: string) {
    this.#socket = socket;
    this.#key = key;
  }

  /** Null if there is none, or this is not a command that may ask one. */
  static of(session: Session): OwnServer | null {
    if (session.asksServer !== true || process.platform === 'win32') return null;
    const { workspace, ledger } = findPlace(session);
    const socket = ownerSocket(workspace.path);
    const key = isOwn(socket) && !failed.has(socket) ? new ServedPlace(ledger, session).key : null;
    return key === null ? null : new OwnServer(socket, key);
  }

  /** Brings the tables up to date. It does not matter whether that succeeds. */
  async refresh(signal: AbortSignal): Promise<void> {
    try {
      // It answers when the tables are fresh.
      for await (const _ of this.#post(ownerPaths.refresh, '', signal)) return;
    } catch {
      this.#fail(signal);
    }
  }

  /** The whole answer, or the error of the query; null if the command has to answer by itself. */
  async answer(question: OwnerQuestion, signal: AbortSignal): Promise<OwnerAnswer | null> {
    const left = new AbortController();
    try {
      const stop = AbortSignal.any([signal, left.signal]);
      return await answerIn(this.#post(ownerPaths.sql, JSON.stringify(question), stop));
    } catch {
      this.#fail(signal);
      return null;
    } finally {
      left.abort();
    }
  }

  /** Unless the command itself was stopped. */
  #fail(signal: AbortSignal): void {
    signal.throwIfAborted();
    failed.add(this.#socket);
  }

  /** Throws if the server does not answer in time, or not with 200. */
  async *#post(path: string, body: string, signal: AbortSignal): AsyncGenerator<OwnerPiece, void, undefined> {
    // An import would read all exports of the module, one of which loads Node's client of WebSockets: a tenth of the command's time.
    const { request } = process.getBuiltinModule('node:http');
    const headers = { 'content-type': 'application/json', [placeHeader]: this.#key };
    const asking = request({ socketPath: this.#socket, path, method: 'POST', headers, signal, agent: false });
    const giveUp = (): void => void asking.destroy(new Error('the server does not answer'));
    asking.setTimeout(longestSilenceMs, giveUp);
    const late = setTimeout(giveUp, patienceMs);
    try {
      const response = await new Promise<IncomingMessage>((resolvePromise, reject) => {
        asking.on('error', reject);
        asking.on('response', resolvePromise);
        asking.end(body);
      });
      if (response.statusCode !== 200) throw new Error(`the server answers ${response.statusCode}`);
      for await (const piece of piecesIn(response)) {
        if (piece.piece === 'working') continue;
        clearTimeout(late);
        asking.setTimeout(longestPauseMs);
        yield piece;
      }
    } finally {
      clearTimeout(late);
      asking.destroy();
    }
  }
}

/** The socket is this user's, in a folder that only this user may enter: nobody else can have put it there. */
function isOwn(socket: string): boolean {
  const user = process.getuid?.();
  const [folder, found] = [dirname(socket), socket].map((path) => lstatSync(path, { throwIfNoEntry: false }));
  if (folder === undefined || found === undefined) return false;
  return (
    folder.isDirectory() && folder.uid === user && (folder.mode & 0o077) === 0 && found.isSocket() && found.uid === user
  );
}

// Pieces on the wire: bytes as they are, everything else as JSON, each after its kind and its length.

const headBytes = 5;
const kinds = { json: 0, bytes: 1 } as const;

export function ownerPieceBytes(piece: OwnerPiece): Uint8Array {
  const isBytes = piece.piece === 'bytes';
  const content = isBytes ? piece.bytes : Buffer.from(JSON.stringify(piece));
  const head = Buffer.alloc(headBytes);
  head.writeUInt8(isBytes ? kinds.bytes : kinds.json);
  head.writeUInt32BE(content.length, 1);
  return Buffer.concat([head, content]);
}

/** Null if it is too long, or an error of the server. Throws if it has no end. */
async function answerIn(pieces: AsyncIterable<OwnerPiece>): Promise<OwnerAnswer | null> {
  const bytes: Uint8Array[] = [];
  let heldBytes = 0;
  let standing: Standing | null = null;
  for await (const piece of pieces) {
    if (piece.piece === 'done') return { standing, bytes, rows: piece.rows };
    if (piece.piece === 'failed')
      return ofQuery.includes(piece.error.kind) ? { standing, fault: errorFrom(piece.error) } : null;
    if (piece.piece === 'standing') standing = piece.standing;
    else if (piece.piece === 'bytes') {
      bytes.push(piece.bytes);
      heldBytes += piece.bytes.length;
      if (heldBytes > mostHeldBytes) return null;
    }
  }
  throw new Error('the answer has no end');
}

async function* piecesIn(response: AsyncIterable<unknown>): AsyncGenerator<OwnerPiece, void, undefined> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of response) {
    rest = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer]);
    while (rest.length >= headBytes) {
      const end = headBytes + rest.readUInt32BE(1);
      if (rest.length < end) break;
      const content = rest.subarray(headBytes, end);
      yield rest.readUInt8() === kinds.bytes
        ? { piece: 'bytes', bytes: content }
        : (parseJson(content.toString()) as OwnerPiece);
      rest = rest.subarray(end);
    }
  }
}
