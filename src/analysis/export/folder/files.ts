// The files of an export, as its manifest names them: with their sizes and digests.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { ExportedFile } from '../../../../schemas/export-manifest.ts';

/** `path` is the file's in the folder, with /. */
export async function described(folder: string, path: string, rows: number): Promise<ExportedFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of createReadStream(join(folder, path), { highWaterMark: 1024 * 1024 })) {
    hash.update(piece as Buffer);
    bytes += (piece as Buffer).length;
  }
  return { path, rows, bytes, sha256: hash.digest('hex') };
}
