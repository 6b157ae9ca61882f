// Tables for other programs: brought up to date, written into a folder of their own each, and described in a manifest.
import { join } from 'node:path';
import type { BundledRun } from '../../../../schemas/bundle.ts';
import {
  type ExportedFile,
  type ExportedTable,
  type ExportManifest,
  exportFormat,
} from '../../../../schemas/export-manifest.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { DocumentedTable } from '../../../projections/documentation.ts';
import { positionOf } from '../../../projections/projector/layout.ts';
import { reading, within } from '../../../projections/warehouse/holding.ts';
import { described, intoFolder } from '../folder.ts';
import type { Choice } from './choice.ts';
import type { TableWriter } from './parquet.ts';

export interface TablesExport {
  readonly ledger: Ledger;
  /** The copy of the tables that is read. */
  readonly snapshot: string;
  /** Where they go. */
  readonly to: string;
  readonly choice: Choice;
  readonly runs: readonly BundledRun[] | null;
  /** As the manifest calls it. */
  readonly as: string;
  readonly icecore: string;
  /** `spill` is a folder for what it does not keep in memory. */
  readonly writer: (snapshot: string, spill: string) => Promise<TableWriter>;
  readonly signal: AbortSignal;
  /** Tables that are done. */
  readonly onProgress: (done: number, of: number) => Promise<void>;
}

export interface Exported {
  readonly manifest: ExportManifest;
  /** An earlier export of the same ledger was there. */
  readonly replaced: boolean;
}

/** Throws FolderTaken. */
export async function exportTables(asked: TablesExport): Promise<Exported> {
  const { ledger, snapshot, to, choice, runs, as, icecore } = asked;
  return await intoFolder({ folder: to, ledger: ledger.id }, async (folder) => {
    const head = await headOf(ledger, snapshot);
    const tables = await written(asked, folder);
    const order = choice.tables.map(({ table }) => table.name);
    return {
      format: exportFormat,
      what: 'tables',
      as,
      icecore,
      ledger: ledger.id,
      head,
      runs: runs === null ? null : [...runs],
      tables: [...tables].sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name)),
    };
  });
}

async function headOf(ledger: Ledger, snapshot: string): Promise<ExportManifest['head']> {
  const position = await within(snapshot, reading, {}, (connection) => positionOf(connection, ledger.id));
  if (position === null) return { events: 0, cursor: (await ledger.head()).cursor, digest: null };
  const { events, cursor, digest } = position;
  return { events, cursor, digest };
}

async function written(asked: TablesExport, folder: string): Promise<readonly ExportedTable[]> {
  const { snapshot, choice, writer, signal, onProgress } = asked;
  const tables: ExportedTable[] = [];
  const opened = await writer(snapshot, join(folder, '..', 'spill'));
  try {
    // One after the other: two at once would have half of the memory each.
    for (const chosen of choice.tables) {
      signal.throwIfAborted();
      const written = await opened.write(chosen, folder, signal);
      const files: ExportedFile[] = [];
      for (const { path, rows } of written.files) files.push(await described(folder, path, rows));
      tables.push(tableOf(chosen.table, written.partitions, files));
      await onProgress(tables.length, choice.tables.length);
    }
  } finally {
    await opened.close();
  }
  return tables;
}

function tableOf(
  { name, meaning, columns }: DocumentedTable,
  partitions: readonly string[],
  files: readonly ExportedFile[],
): ExportedTable {
  return {
    name,
    meaning,
    columns: columns.map((column) => ({ ...column, partition: partitions.includes(column.name) })),
    rows: files.reduce((sum, { rows }) => sum + rows, 0),
    files: [...files].sort((a, b) => (a.path < b.path ? -1 : 1)),
  };
}
