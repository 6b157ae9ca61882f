// The folder an export goes into. It is filled under another name beside the place it is meant for, and gets its own when
// everything is in it. An earlier export of the same ledger is replaced as a whole; anything else that is there stays.
import { existsSync } from 'node:fs';
import { readdir, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { type ExportManifest, exportManifest } from '../../../../schemas/export-manifest.ts';
import { parseJson } from '../../../../schemas/json-text.ts';
import { readRegularFile } from '../../../base/regular-file.ts';
import { makeFolder } from '../../../ledger/folders.ts';
import { withWorkingFolder } from '../../../ledger/temporary.ts';
import { FolderTaken } from './errors.ts';

export const manifestName = 'icecore-export.json';
const mostManifestBytes = 256 * 2 ** 20;

export interface Target {
  /** Absolute, and no link. */
  readonly folder: string;
  /** The identity of the ledger. */
  readonly ledger: string;
}

/** Throws FolderTaken. */
export async function intoFolder(
  target: Target,
  body: (folder: string) => Promise<ExportManifest>,
): Promise<{ readonly manifest: ExportManifest; readonly replaced: boolean }> {
  await stateOf(target);
  return await withWorkingFolder(dirname(target.folder), async (working) => {
    const filled = join(working, 'new');
    makeFolder(filled);
    const manifest = await body(filled);
    await writeFile(join(filled, manifestName), `${JSON.stringify(manifest, null, 1)}\n`, { flush: true });
    // Meanwhile somebody may have put something there.
    const replaced = (await stateOf(target)) === 'export';
    if (replaced) await rename(target.folder, join(working, 'old'));
    await rename(filled, target.folder);
    return { manifest, replaced };
  });
}

/** Throws FolderTaken where there is anything that is not the ledger's own earlier export. */
export async function requireFree(target: Target): Promise<void> {
  await stateOf(target);
}

async function stateOf({ folder, ledger }: Target): Promise<'free' | 'export'> {
  if (!existsSync(folder)) return 'free';
  if (!(await stat(folder)).isDirectory()) throw new FolderTaken(folder, 'no folder: it is a file');
  const names = await readdir(folder);
  if (names.length === 0) return 'free';
  const manifest = await manifestIn(folder);
  if (manifest === null) throw new FolderTaken(folder, `other things (${some(names)})`);
  if (manifest.ledger !== ledger) throw new FolderTaken(folder, `an export of another ledger, ${manifest.ledger}`);
  const foreign = await notNamedIn(folder, manifest);
  if (foreign.length > 0) throw new FolderTaken(folder, `an export, and other things in it (${some(foreign)})`);
  return 'export';
}

/** Null where there is none that can be read. */
async function manifestIn(folder: string): Promise<ExportManifest | null> {
  try {
    const bytes = readRegularFile(join(folder, manifestName), mostManifestBytes);
    const read = exportManifest.safeParse(parseJson(bytes.toString('utf8')));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}

async function notNamedIn(folder: string, { tables }: ExportManifest): Promise<readonly string[]> {
  const own = new Set([manifestName, ...tables.flatMap(({ files }) => files.map(({ path }) => path))]);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !own.has(path));
}

function some(names: readonly string[]): string {
  const shown = names.slice(0, 3).join(', ');
  return names.length > 3 ? `${shown}, …` : shown;
}
