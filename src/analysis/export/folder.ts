// The folder an export goes into. It is filled under another name beside the place it is meant for, and gets its own when
// everything is in it. An earlier export of the same ledger is replaced as a whole; anything else that is there stays.

import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { readdir, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import { type ExportedFile, type ExportManifest, exportManifest } from '../../../schemas/export-manifest.ts';
import { parseJson } from '../../../schemas/json-text.ts';
import { makeFolder } from '../../base/folders.ts';
import { readRegularFile } from '../../base/regular-file.ts';
import { withWorkingFolder } from '../../base/temporary.ts';

export const manifestName = 'icecore-export.json';
const mostManifestBytes = 256 * 2 ** 20;

interface Target {
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

/** It holds something that an export would destroy. */
class FolderTaken extends IcecoreError {
  override readonly name = 'FolderTaken';

  constructor(folder: string, what: string) {
    super('conflict', `${folder} holds ${what}`, {
      facts: { folder, what },
      remedy: 'Nothing was written. Name a folder that is empty, or missing, or an earlier export of the same ledger.',
    });
  }
}

/** A file of an export as its manifest names it. `path` is the file's in the folder, with /. */
export async function described(folder: string, path: string, rows: number): Promise<ExportedFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of createReadStream(join(folder, path), { highWaterMark: 1024 * 1024 })) {
    hash.update(piece as Buffer);
    bytes += (piece as Buffer).length;
  }
  return { path, rows, bytes, sha256: hash.digest('hex') };
}

// The names of folders that say which part of a table is in them, as Hive writes them and Spark, Trino, DuckDB, Arrow and
// Polars read them: `run=first/stage=2`.

/** Where the value is null. */
const none = '__HIVE_DEFAULT_PARTITION__';

/**
 * What Hive writes as %XX. Everything else stays, also non-ASCII characters: Hive and Spark take each %XX for a
 * character of its own.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are among what is written otherwise
const special = /[\u0000-\u001f"#%'*/:=?\\\u007f{[\]^]/g;

/** Throws PartitionTooLong. */
export function partitionName(column: string, value: string | null): string {
  if (value === null || value === '') return `${column}=${none}`;
  const written = value.replace(special, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
  const name = `${column}=${written}`;
  if (Buffer.byteLength(name) > longest) throw new PartitionTooLong(column, value);
  return name;
}

/** What file systems take for a name, in bytes. */
const longest = 255;

class PartitionTooLong extends IcecoreError {
  override readonly name = 'PartitionTooLong';

  constructor(column: string, value: string) {
    super('bad-input', `no folder can be called after the ${column} "${value.slice(0, 40)}…": the name is too long`, {
      facts: { column, value, longest },
      remedy:
        'Nothing was written. Write single files: tables with --format arrow or ndjson, events with --output FILE.',
    });
  }
}
