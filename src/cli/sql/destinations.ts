// Where an answer goes: to a file, which gets its name when all is in it; or to somebody who may take their time, such as a pager.
// What they do not take at once is put into a file, so that the query comes to its end and nobody else has to wait for the tables.
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as after } from 'node:timers/promises';
import type { Sink } from '../io.ts';

/** Whoever takes longer for a piece is not waited for. */
const hurriedMs = 500;

const pieceBytes = 2 ** 18;

export class Unhurried {
  readonly #out: Sink;
  readonly #mostKept: number;
  #kept: Kept | null = null;
  /** What is being handed over; it fails when nobody takes any more. */
  #handing: Promise<void> = Promise.resolve();
  #refused: { readonly fault: unknown } | null = null;
  /** Whether a part of the answer has left. */
  hasGivenOut = false;

  /** Of more than is kept, the query waits after all. */
  constructor(out: Sink, diskMegabytes: number) {
    this.#out = out;
    this.#mostKept = diskMegabytes * 2 ** 20;
  }

  get sink(): Sink {
    return Object.create(this.#out, { write: { value: this.#write } }) as Sink;
  }

  /** Resolves when all has been taken. */
  async end(): Promise<void> {
    try {
      await this.#handing;
      await this.#kept?.handOver(this.#out);
    } finally {
      this.#kept?.remove();
    }
  }

  readonly #write = async (piece: string | Uint8Array): Promise<void> => {
    this.hasGivenOut = true;
    if (this.#kept === null) {
      this.#handing = this.#out.write(piece);
      if (await isDoneSoon(this.#handing)) return;
      this.#handing.catch((fault: unknown) => {
        this.#refused = { fault };
      });
      this.#kept = await Kept.begin();
      return;
    }
    if (this.#refused !== null) throw this.#refused.fault;
    if (this.#kept.bytes > this.#mostKept) {
      await this.#handing;
      await this.#kept.handOver(this.#out);
    }
    await this.#kept.add(piece);
  };
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

/** A file that is written at its end and read from its beginning, and that nobody else sees. */
class Kept {
  readonly #folder: string;
  readonly #file: FileHandle;
  #from = 0;
  #to = 0;

  private constructor(folder: string, file: FileHandle) {
    this.#folder = folder;
    this.#file = file;
  }

  static async begin(): Promise<Kept> {
    const folder = mkdtempSync(join(tmpdir(), 'icecore-answer-'));
    return new Kept(folder, await open(join(folder, 'rest'), 'wx+', 0o600));
  }

  get bytes(): number {
    return this.#to - this.#from;
  }

  async add(piece: string | Uint8Array): Promise<void> {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, done, bytes.length - done, this.#to);
      done += bytesWritten;
      this.#to += bytesWritten;
    }
  }

  async handOver(out: Sink): Promise<void> {
    const buffer = Buffer.alloc(pieceBytes);
    while (this.#from < this.#to) {
      const { bytesRead } = await this.#file.read(buffer, 0, Math.min(pieceBytes, this.bytes), this.#from);
      await out.write(Buffer.from(buffer.subarray(0, bytesRead)));
      this.#from += bytesRead;
    }
  }

  remove(): void {
    void this.#file.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Whether a file is replaced; what is no file, a pipe or a device, is written to and stays. */
async function isReplaced(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isFile() ?? true;
}

export async function intoFile<Result>(path: string, body: (out: Sink) => Promise<Result>): Promise<Result> {
  const replaces = await isReplaced(path);
  const part = replaces ? `${path}.part` : path;
  // What a killed writer left, or a link that somebody put there, is replaced and never written through.
  if (replaces) await rm(part, { force: true });
  const file = await open(part, replaces ? 'wx' : 'w');
  try {
    const write = async (piece: string | Uint8Array): Promise<void> => {
      await file.writeFile(piece);
    };
    const result = await body({ isTTY: false, isFile: true, columns: 80, write });
    await file.close();
    if (replaces) await rename(part, path);
    return result;
  } catch (fault) {
    await file.close();
    if (replaces) await rm(part, { force: true });
    throw fault;
  }
}

/** A whole file, under its name. */
export async function give(whole: string, path: string): Promise<void> {
  if (await isReplaced(path)) await rename(whole, path);
  else await pipeline(createReadStream(whole), createWriteStream(path));
}
