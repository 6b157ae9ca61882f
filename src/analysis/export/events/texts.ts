// Texts that events name and that are kept as blobs, each as a file of its own under its SHA-256.
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ExportedFile } from '../../../../schemas/export-manifest.ts';
import { blobsIn } from '../../../../schemas/texts.ts';
import type { Blobs } from '../../../ledger/blobs/blobs.ts';
import { BlobDamaged, BlobMissing } from '../../../ledger/blobs/errors.ts';
import type { StoredEvent } from '../../../ledger/stored.ts';

export class TextFiles {
  readonly #folder: string;
  readonly #blobs: Blobs | null;
  readonly #seen = new Set<string>();
  readonly files: ExportedFile[] = [];
  /** Erased, or lost. */
  missing = 0;

  constructor(folder: string, blobs: Blobs | null) {
    this.#folder = folder;
    this.#blobs = blobs;
  }

  async add(events: readonly StoredEvent[]): Promise<void> {
    for (const event of events) {
      if (!event.body.includes('"blob":"')) continue;
      const { type, version, data } = event.envelope;
      for (const { blob, isText } of blobsIn(type, version, data)) if (isText) await this.#write(blob);
    }
  }

  async #write(blob: string): Promise<void> {
    if (this.#seen.has(blob)) return;
    this.#seen.add(blob);
    await mkdir(this.#folder, { recursive: true });
    const path = join(this.#folder, `${blob}.txt`);
    const part = `${path}.part`;
    let bytes = 0;
    const read = (this.#blobs?.read(blob) ?? none(blob))[Symbol.asyncIterator]();
    async function* counted(): AsyncGenerator<Uint8Array> {
      for (let next = await read.next(); next.done !== true; next = await read.next()) {
        bytes += next.value.byteLength;
        yield next.value;
      }
    }
    try {
      await rm(part, { force: true });
      await pipeline(counted(), createWriteStream(part, { flags: 'wx' }));
      await rename(part, path);
      this.files.push({ path: `texts/${blob}.txt`, rows: 1, bytes, sha256: blob });
    } catch (error) {
      await rm(part, { force: true });
      if (!(error instanceof BlobMissing || error instanceof BlobDamaged)) throw error;
      this.missing++;
    }
  }
}

// biome-ignore lint/correctness/useYield: there is nothing to hand out
async function* none(blob: string): AsyncGenerator<Uint8Array> {
  throw new BlobMissing(blob, 'the ledger, without a blob store,');
}
