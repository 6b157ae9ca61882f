// A folder that takes long to create is created once: its content is kept in memory, and written out for each test that starts
// with it.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { getOrCreate } from '../get-or-create.ts';

/** The content of its files by relative path. */
export type FolderContent = ReadonlyMap<string, Uint8Array>;

export function readFolder(folder: string): FolderContent {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []));
  return new Map(paths.map((path) => [relative(folder, path), readFileSync(path)]));
}

export function writeFolder(kept: FolderContent, folder: string): void {
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
 * A folder with content for `what`, to be copied and not changed: created once for all test files of a process, and removed
 * when the process ends.
 */
export function createOnce(what: readonly unknown[], make: (folder: string) => Promise<void>): Promise<string> {
  return getOrCreate(made, JSON.stringify(what), async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'icecore-made-')));
    folders.push(folder);
    await make(folder);
    return folder;
  });
}
