// An answer for a slow reader, such as a pager. What the reader does not take at once goes into a file, so that the query ends and no
// other query has to wait for the tables.
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import type { Sink } from '../../base/sink.ts';

/** A reader that takes longer for a piece is slow. */
const hurriedMs = 500;

export class Unhurried {
  readonly #out: Sink;
  readonly #mostBytes: number;
  #waiting: { readonly folder: string; readonly path: string; readonly file: FileHandle } | null = null;
  #waitingBytes = 0;
  /** The piece that is being written; it fails when the reader is gone. */
  #handing: Promise<void> = Promise.resolve();
  #refused: { readonly fault: unknown } | null = null;

  /** `diskMegabytes`: if more than this is unread, the query waits. */
  constructor(out: Sink, diskMegabytes: number) {
    this.#out = out;
    this.#mostBytes = diskMegabytes * 2 ** 20;
  }

  get sink(): Sink {
    return Object.create(this.#out, { write: { value: this.#write } }) as Sink;
  }

  /** Resolves when everything has been read. */
  async end(): Promise<void> {
    try {
      await this.#handOver();
    } finally {
      await this.#waiting?.file.close();
      if (this.#waiting !== null) rmSync(this.#waiting.folder, { recursive: true, force: true });
    }
  }

  readonly #write = async (piece: string | Uint8Array): Promise<void> => {
    if (this.#waiting === null) {
      this.#handing = this.#out.write(piece);
      if (await isDoneSoon(this.#handing)) return;
      this.#handing.catch((fault: unknown) => {
        this.#refused = { fault };
      });
      const folder = mkdtempSync(join(tmpdir(), 'icecore-answer-'));
      const path = join(folder, 'rest');
      this.#waiting = { folder, path, file: await open(path, 'ax', 0o600) };
      return;
    }
    if (this.#refused !== null) throw this.#refused.fault;
    if (this.#waitingBytes > this.#mostBytes) await this.#handOver();
    await this.#waiting.file.appendFile(piece);
    this.#waitingBytes += piece.length;
  };

  async #handOver(): Promise<void> {
    await this.#handing;
    if (this.#waiting === null) return;
    for await (const piece of createReadStream(this.#waiting.path)) await this.#out.write(piece as Uint8Array);
    await this.#waiting.file.truncate();
    this.#waitingBytes = 0;
  }
}

async function isDoneSoon(handing: Promise<void>): Promise<boolean> {
  const late = new AbortController();
  const timer = after(hurriedMs, false, { signal: late.signal }).catch(() => false);
  try {
    return await Promise.race([handing.then(() => true), timer]);
  } finally {
    late.abort();
  }
}
