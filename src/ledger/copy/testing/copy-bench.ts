// Ledgers with blobs in a temporary folder, copied like `icecore ledger copy` does.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Blobs } from '../../blobs/blobs.ts';
import { openBlobs, openBlobsIfThere } from '../../blobs/open.ts';
import { collect } from '../../contract/fixture.ts';
import type { Ledger, OpenOptions } from '../../ledger.ts';
import { blobsBeside } from '../../local-paths.ts';
import { openLedger } from '../../open.ts';
import { type Verification, verifyLedger } from '../../verify/verify.ts';
import { BlobTarget } from '../blob-copy.ts';
import { type Copied, type CopyOptions, copyLedger } from '../copy.ts';

export class CopyBench {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'icecore-copy-'));
  readonly #opened: { close(): Promise<void> }[] = [];

  path(name: string): string {
    return join(this.folder, `${name}.db`);
  }

  /** A name that begins with `split` is that of a ledger in two files. */
  url(name: string): string {
    const whole = `sqlite:${this.path(name)}`;
    return name.startsWith('split') ? `split:${whole}+sqlite:${this.path(`${name}-evidence`)}` : whole;
  }

  async ledger(name: string, options: OpenOptions = { create: true }): Promise<Ledger> {
    const ledger = await openLedger(this.url(name), options);
    this.#opened.push(ledger);
    return ledger;
  }

  async blobs(name: string): Promise<Blobs> {
    const blobs = await openBlobs(blobsBeside(this.url(name)), { create: true });
    this.#opened.push(blobs);
    return blobs;
  }

  /** Null: there are none. */
  async blobsIfThere(name: string): Promise<Blobs | null> {
    const blobs = await openBlobsIfThere(blobsBeside(this.url(name)));
    if (blobs !== null) this.#opened.push(blobs);
    return blobs;
  }

  /** Copies everything, or one run, from one ledger to another, which is created if missing. */
  async copy(from: string, to: string, options: Partial<CopyOptions> = {}): Promise<Copied> {
    const { run = null } = options;
    const original = await openLedger(this.url(from), { readOnly: true });
    const target = await openLedger(this.url(to), { create: true, ...(run === null ? { createAs: original.id } : {}) });
    const fromBlobs = await openBlobsIfThere(blobsBeside(original.url));
    const toBlobs = await BlobTarget.at(blobsBeside(target.url));
    try {
      return await copyLedger({ from: original, to: target, fromBlobs, toBlobs }, { ...options, run });
    } finally {
      for (const one of [toBlobs, fromBlobs, target, original]) await one?.close();
    }
  }

  verify(name: string): Promise<Verification> {
    const blobs = blobsBeside(this.url(name));
    return verifyLedger(this.url(name), { blobs, run: null, head: null });
  }

  async close(): Promise<void> {
    for (const one of this.#opened.splice(0)) await one.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The parts of an event that a copy must preserve; `cursor` only if it has the order of the original. */
export async function eventsOf(ledger: Ledger, stream?: string) {
  const events = await collect(stream === undefined ? ledger.readAll() : ledger.read(stream));
  return events.map(({ stream, revision, type, filedId, recordedMs, digest, body }) => {
    return { stream, revision, type, filedId, recordedMs, digest, body };
  });
}

export async function streamNames(ledger: Ledger): Promise<string[]> {
  return (await collect(ledger.streams())).map(({ stream }) => stream);
}

export async function digestsIn(blobs: Blobs): Promise<string[]> {
  return (await collect(blobs.list())).map(({ digest }) => digest);
}
