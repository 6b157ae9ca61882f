// A folder that takes long to make and is made once: what is in it is kept, and written out wherever a test wants one to
// begin with.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** Its files, by their names within it. */
export type KeptFolder = ReadonlyMap<string, Uint8Array>;

export function keptFolder(folder: string): KeptFolder {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []));
  return new Map(paths.map((path) => [relative(folder, path), readFileSync(path)]));
}

export function writeKept(kept: KeptFolder, folder: string): void {
  for (const [name, bytes] of kept) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  }
}
