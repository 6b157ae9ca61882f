// Checkpoints that are packed folders, such as LoRA adapters: an uncompressed tar archive among the blobs, unpacked once where the server of a
// model finds it.
import { randomUUID } from 'node:crypto';
import { createWriteStream, lstatSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { IcecoreError } from '../../../schemas/errors.ts';
import { makeFolder, requireNoLink } from '../../base/folders.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';

/** A checkpoint that cannot be unpacked. */
class NotAnAdapter extends IcecoreError {
  override readonly name = 'NotAnAdapter';

  constructor(digest: string, found: string) {
    super('bad-input', `the checkpoint ${digest} is not a packed adapter: found ${found}`, {
      facts: { digest, found, allowed: 'an uncompressed tar archive of files' },
      remedy: 'The trainer must pack the folder of the adapter with tar, and report the archive: docs/trainers.md.',
    });
  }
}

export class Adapters {
  readonly #folder: string;
  readonly #blobs: () => Promise<Blobs>;
  readonly #unpacking = new Map<string, Promise<string>>();

  /** `folder`: where the folders of adapters are; created when needed. */
  constructor(folder: string, blobs: () => Promise<Blobs>) {
    this.#folder = folder;
    this.#blobs = blobs;
  }

  /** The path of the unpacked folder; its last part is the digest. Throws NotAnAdapter, BlobMissing and BlobDamaged. */
  unpacked(digest: string): Promise<string> {
    const unpacking = this.#unpacking.get(digest) ?? this.#unpack(digest);
    this.#unpacking.set(digest, unpacking);
    unpacking.catch(() => this.#unpacking.delete(digest));
    return unpacking;
  }

  async #unpack(digest: string): Promise<string> {
    const path = join(this.#folder, digest);
    requireNoLink(this.#folder);
    requireNoLink(path);
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return path;
    const part = join(this.#folder, `${digest}.${randomUUID()}.part`);
    const archive = `${part}.tar`;
    makeFolder(part);
    try {
      await pipeline((await this.#blobs()).read(digest), createWriteStream(archive));
      await unpack(digest, archive, part);
      await rename(part, path).catch((fault: unknown) => {
        // Another process may have unpacked it meanwhile.
        if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw fault;
      });
      return path;
    } finally {
      await Promise.all([part, archive].map((one) => rm(one, { recursive: true, force: true })));
    }
  }
}

const header = { bytes: 512, magic: 'ustar', at: 257 };

/** Nothing outside of the folder can be written, whatever the archive says. */
async function unpack(digest: string, archive: string, folder: string): Promise<void> {
  // A compressed archive could unpack to any size, and tar would recognise it.
  const head = await firstBytes(archive, header.bytes);
  if (head.toString('latin1', header.at, header.at + header.magic.length) !== header.magic)
    throw new NotAnAdapter(digest, head.length < header.bytes ? `${head.length} bytes` : 'other bytes');
  const { extract } = await import('tar');
  let files = 0;
  let refused: string | null = null;
  try {
    await extract({
      ...{ file: archive, cwd: folder, strict: true, noMtime: true, preserveOwner: false },
      filter: (path, entry) => {
        const { type = '' } = entry as { readonly type?: string };
        if (type === 'Directory') return true;
        if (type !== 'File' && type !== 'OldFile') refused ??= `${JSON.stringify(path)} of type ${type}`;
        files += 1;
        return refused === null;
      },
    });
  } catch (fault) {
    throw new NotAnAdapter(digest, fault instanceof Error ? fault.message : String(fault));
  }
  if (refused !== null) throw new NotAnAdapter(digest, refused);
  if (files === 0) throw new NotAnAdapter(digest, 'no files');
}

async function firstBytes(path: string, count: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(count), 0, count, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
