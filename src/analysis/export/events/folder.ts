// Events in a folder, cut by run and stage, with a manifest: as lines, or as Parquet.
import { join } from 'node:path';
import type { BundledRun } from '../../../../schemas/bundle.ts';
import {
  type ExportedFile,
  type ExportedTable,
  type ExportManifest,
  exportFormat,
} from '../../../../schemas/export-manifest.ts';
import type { Blobs } from '../../../ledger/blobs/blobs.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { StoredEvent } from '../../../ledger/stored.ts';
import { described, intoFolder } from '../folder.ts';
import { LinesByStage } from './lines.ts';
import { type ExportHead, namesOfRuns } from './selection.ts';
import { eventsTable, stagedAsParquet, stageEvents } from './staging.ts';
import { TextFiles } from './texts.ts';

export interface EventsFolder {
  readonly ledger: Ledger;
  readonly head: ExportHead;
  readonly events: AsyncIterable<readonly StoredEvent[]>;
  readonly to: string;
  readonly as: 'ndjson' | 'cloudevents' | 'parquet';
  /** Of an event, without its end. */
  readonly line: (event: StoredEvent) => string;
  readonly runs: readonly BundledRun[] | null;
  /** Texts are written as well. */
  readonly texts: { readonly blobs: Blobs | null } | null;
  readonly icecore: string;
  readonly signal: AbortSignal;
  readonly onProgress: (events: number) => Promise<void>;
}

export interface EventsExported {
  readonly manifest: ExportManifest;
  readonly replaced: boolean;
  /** Texts that are erased or lost. */
  readonly missing: number;
}

/** Throws FolderTaken. */
export async function eventsIntoFolder(asked: EventsFolder): Promise<EventsExported> {
  const { ledger, to, as, runs, icecore } = asked;
  let missing = 0;
  const { manifest, replaced } = await intoFolder({ folder: to, ledger: ledger.id }, async (folder) => {
    const texts = asked.texts === null ? null : new TextFiles(join(folder, 'texts'), asked.texts.blobs);
    const looked = passing(asked, texts);
    const table = as === 'parquet' ? await asParquet(asked, looked, folder) : await asLines(asked, looked, folder);
    missing = texts?.missing ?? 0;
    return {
      format: exportFormat,
      what: 'events',
      as,
      icecore,
      ledger: ledger.id,
      head: asked.head,
      runs: runs === null ? null : [...runs],
      tables: [table, ...(texts === null ? [] : [textsTable(texts.files)])],
    };
  });
  return { manifest, replaced, missing };
}

async function* passing(
  { events, signal }: EventsFolder,
  texts: TextFiles | null,
): AsyncGenerator<readonly StoredEvent[]> {
  for await (const some of events) {
    signal.throwIfAborted();
    await texts?.add(some);
    yield some;
  }
}

async function asLines(
  { ledger, line, onProgress }: EventsFolder,
  events: AsyncIterable<readonly StoredEvent[]>,
  folder: string,
): Promise<ExportedTable> {
  const lines = new LinesByStage(folder, await namesOfRuns(ledger), line);
  let count = 0;
  for await (const some of events) {
    await lines.add(some);
    count += some.length;
    await onProgress(count);
  }
  const files: ExportedFile[] = [];
  for (const [path, rows] of await lines.end()) files.push(await described(folder, path, rows));
  return tableOf(null, files);
}

async function asParquet(
  { ledger, signal, onProgress }: EventsFolder,
  events: AsyncIterable<readonly StoredEvent[]>,
  folder: string,
): Promise<ExportedTable> {
  const working = join(folder, '..', 'staging');
  const staged = await stageEvents(events, working, onProgress);
  const names = await namesOfRuns(ledger);
  const written = await stagedAsParquet(staged, { folder, working, names }, ['run', 'stage'], signal);
  const files: ExportedFile[] = [];
  for (const { path, rows } of written.files) files.push(await described(folder, path, rows));
  return tableOf(written.partitions, files);
}

function tableOf(partitions: readonly string[] | null, files: readonly ExportedFile[]): ExportedTable {
  const { name, meaning, columns } = eventsTable;
  return {
    name,
    meaning,
    // docs/events.md describes a line.
    columns: partitions === null ? [] : columns.map((one) => ({ ...one, partition: partitions.includes(one.name) })),
    rows: files.reduce((sum, { rows }) => sum + rows, 0),
    files: [...files].sort((a, b) => (a.path < b.path ? -1 : 1)),
  };
}

function textsTable(files: readonly ExportedFile[]): ExportedTable {
  const meaning = 'Texts that events name, a file each, called by its SHA-256.';
  return { name: 'texts', meaning, columns: [], rows: files.length, files: [...files] };
}
