// `export tables`: tables to a folder, or to one file in a format of `icecore sql`.
import { lstatSync, realpathSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import type { DuckDBConnection, DuckDBDataChunk } from '@duckdb/node-api';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { ExportTablesResult } from '../../../schemas/export-output.ts';
import { requireFree } from '../../analysis/export/folder.ts';
import { type RunsAsked, wantedRuns } from '../../analysis/export/runs.ts';
import { chosenTables } from '../../analysis/export/tables/choice.ts';
import { parquetWriter, type TableWriter } from '../../analysis/export/tables/parquet.ts';
import { exportTables as writeTables } from '../../analysis/export/tables/tables.ts';
import { isFolder } from '../../base/folders.ts';
import { paintFor } from '../../base/paint.ts';
import type { Sink } from '../../base/sink.ts';
import { documentedTables } from '../../projections/documentation.ts';
import { type Answer, openQuestions, type Questions } from '../../projections/query/questions.ts';
import { snapshotOf } from '../../projections/snapshot.ts';
import { withLedgerToRead } from '../opening/ledger.ts';
import { noticeStanding } from '../opening/standing.ts';
import { knownTables, withTablesProgress } from '../opening/tables.ts';
import { requireOneOf } from '../option-error.ts';
import { type Session, SessionProgress } from '../session.ts';
import { writeArrow } from '../sql/formats/arrow.ts';
import { writeAnswer } from '../sql/formats/write.ts';
import { icecoreVersion } from '../version.ts';
import { intoFile } from './into-file.ts';

/** Which runs to export (default: all). */
export interface RunsToExport {
  readonly runs?: readonly string[];
  readonly tag?: string;
}

/** Which tables to export, where, and in which format. */
export interface ExportTablesOptions extends RunsToExport {
  /** Which tables (default: all). */
  readonly tables?: readonly string[];
  /** A folder: an earlier export in it is replaced, anything else is refused. */
  readonly output: string;
  readonly format?: ExportTablesResult['as'];
}

export async function exportTables(session: Session, options: ExportTablesOptions): Promise<ExportTablesResult> {
  const { tables: named = [], output, format = 'parquet' } = options;
  requireOneOf('format', format, ['parquet', 'arrow', 'ndjson']);
  const asked = runsToExport(options);
  return await withLedgerToRead(session, async (ledger) => {
    const started = performance.now();
    const runs = await wantedRuns(ledger, asked);
    const known = await documentedTables(await knownTables(session));
    const choice = chosenTables(known, named, runs, format === 'parquet');
    // Refuse an invalid destination before tables are filled.
    const to = targetFolder(session.cwd, output);
    await requireFree({ folder: to, ledger: ledger.id });
    const snapshot = await withTablesProgress(session, ledger, (folder, filling) =>
      snapshotOf(ledger, folder, filling),
    );
    const { behind, unknown } = await noticeStanding(session, snapshot);
    const progress = new SessionProgress(session, 'tables');
    try {
      const { manifest, replaced } = await writeTables({
        ...{ ledger, snapshot: snapshot.path, to, choice, runs, as: format, icecore: icecoreVersion() },
        writer: (path, spill) => (format === 'parquet' ? parquetWriter(path, spill) : oneFileWriter(path, format)),
        signal: session.signal,
        onProgress: (done, of) => progress.update(done, of),
      });
      const tables = manifest.tables.map(({ name, rows, files }) => ({
        ...{ name, rows, files: files.length },
        bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
      }));
      const all = (of: 'rows' | 'files' | 'bytes'): number => tables.reduce((sum, one) => sum + one[of], 0);
      return {
        ...{ ledger: ledger.url, folder: to, as: format, replaced, events: manifest.head.events, behind },
        unknown: unknown.reduce((sum, { events }) => sum + events, 0),
        ...{ runs: manifest.runs, tables, leftOut: [...choice.leftOut] },
        ...{ rows: all('rows'), files: all('files'), bytes: all('bytes') },
        seconds: Number(((performance.now() - started) / 1000).toFixed(3)),
      };
    } finally {
      await progress.end();
    }
  });
}

export function runsToExport({ runs, tag }: RunsToExport): RunsAsked {
  if (runs !== undefined && tag !== undefined)
    throw new IcecoreError('usage', 'found --run and --tag, allowed: one of them', {
      facts: { found: ['--run', '--tag'] },
    });
  if (tag !== undefined) return { tag };
  return runs === undefined ? {} : { runs };
}

/** Absolute, with links resolved: the folder is replaced, not a link to it. */
export function targetFolder(cwd: string, to: string): string {
  const path = resolve(cwd, to);
  if (!isFolder(path)) {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
      throw refused(to, `is a link that does not lead to a folder`, 'Name a folder, or a path for a new one.');
    return path;
  }
  const folder = realpathSync(path);
  if (!`${realpathSync(cwd)}${sep}`.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)) return folder;
  throw refused(
    to,
    'contains the current folder and would be replaced',
    'Choose another folder, or leave this one first.',
  );
}

function refused(to: string, what: string, remedy: string): IcecoreError {
  return new IcecoreError('usage', `--output: ${to === '' ? '.' : to} ${what}`, {
    facts: { field: '--output', found: to },
    remedy,
  });
}

type OneFileFormat = 'arrow' | 'ndjson';

/** Practically unlimited; the user can stop it. */
const limits = { memoryMegabytes: 1024, seconds: 1_000_000 };

async function oneFileWriter(snapshot: string, format: OneFileFormat): Promise<TableWriter> {
  const questions = await openQuestions(snapshot, limits);
  return {
    write: async ({ table: { name }, query }, folder, signal) => {
      const path = `${name}.${format}`;
      const rows = await writtenToFile(questions, query, { path: join(folder, path), format, signal });
      return { files: [{ path, rows }], partitions: [] };
    },
    close: () => questions.close(),
  };
}

interface Into {
  readonly path: string;
  readonly format: OneFileFormat;
  readonly signal: AbortSignal;
}

async function writtenToFile(questions: Questions, query: string, { path, format, signal }: Into): Promise<number> {
  return await intoFile(path, async (out) => {
    const answer = await questions.ask(query, signal);
    const { rows } = await writeAnswer(answer, format, {
      out,
      paint: paintFor(out, {}),
      limit: null,
      asOf: new Date().toISOString(),
      behind: 0,
      unknown: 0,
      more: '',
    });
    return rows;
  });
}

/** Returns the number of rows. */
export async function arrowOf(
  connection: DuckDBConnection,
  sql: string,
  out: Sink,
  signal: AbortSignal,
): Promise<number> {
  const result = await connection.stream(sql);
  const types = result.columnTypes();
  const columns = result.columnNames().flatMap((name, index) => {
    const type = types[index];
    return type === undefined ? [] : [{ name, type }];
  });
  async function* chunks(): AsyncGenerator<DuckDBDataChunk> {
    for (
      let chunk = await result.fetchChunk();
      chunk !== null && chunk.rowCount > 0;
      chunk = await result.fetchChunk()
    ) {
      signal.throwIfAborted();
      yield chunk;
    }
  }
  const answer: Answer = { columns, chunks };
  const options = { out, paint: paintFor(out, {}), limit: null, asOf: '', behind: 0, unknown: 0, more: '' };
  return (await writeArrow(answer, options)).rows;
}
