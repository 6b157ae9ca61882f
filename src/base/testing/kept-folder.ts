// A folder that takes long to make and is made once: what is in it is kept, and written out wherever a test wants one to
// begin with.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { entry } from '../entry.ts';

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

const made = new Map<string, Promise<string>>();
const folders: string[] = [];
process.on('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/**
 * A folder with `what` in it, to be copied and left as it is: made once for all test files of a process, and gone when the
 * process ends.
 */
export function madeOnce(what: readonly unknown[], make: (folder: string) => Promise<void>): Promise<string> {
  return entry(made, JSON.stringify(what), async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'icecore-made-')));
    folders.push(folder);
    await make(folder);
    return folder;
  });
}
