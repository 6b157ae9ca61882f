// What `icecore export tables` does: tables into a folder, or into one file in a format of `icecore sql`.

import { lstatSync, realpathSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import type { DuckDBConnection, DuckDBDataChunk } from '@duckdb/node-api';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { ExportTablesResult } from '../../../schemas/export-output.ts';
import { table } from '../../analysis/document/layout.ts';
import { requireFree } from '../../analysis/export/folder/folder.ts';
import { type RunsAsked, wantedRuns } from '../../analysis/export/runs-wanted.ts';
import { type Choice, chosenTables } from '../../analysis/export/tables/choice.ts';
import { parquetWriter, type TableWriter } from '../../analysis/export/tables/parquet.ts';
import { type Exported, exportTables } from '../../analysis/export/tables/tables.ts';
import { paintFor } from '../../base/paint.ts';
import { count, counted, duration, size } from '../../base/quantity.ts';
import type { Sink } from '../../base/sink.ts';
import { visible } from '../../base/visible.ts';
import { isFolder } from '../../ledger/folders.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { shellWord } from '../../ledger/shell-word.ts';
import { withLedgerToRead } from '../../library/opening/ledger.ts';
import { tablesFolder, unknownTo, withTablesProgress } from '../../library/opening/tables.ts';
import { writeArrow } from '../../library/sql/formats/arrow.ts';
import { writeAnswer } from '../../library/sql/formats/write.ts';
import { icecoreVersion } from '../../library/version.ts';
import { type Answer, openQuestions, type Questions } from '../../projections/query/questions.ts';
import { type Snapshot, snapshotOf } from '../../projections/snapshot.ts';
import type { Context } from '../context.ts';
import { unknownText } from '../notices.ts';
import { Progress } from '../output/progress.ts';
import { intoFile } from '../sql/destinations.ts';

/** How many rows it were. */
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

export interface RunsTyped {
  readonly run?: readonly string[];
  readonly tag?: string;
}

export function runsAsked({ run, tag }: RunsTyped): RunsAsked {
  if (run !== undefined && tag !== undefined)
    throw new IcecoreError('usage', 'found --run and --tag, allowed: one of them', {
      facts: { found: ['--run', '--tag'] },
    });
  if (tag !== undefined) return { tag };
  return run === undefined ? {} : { runs: run };
}

/** Absolute, and where links lead: it is the folder that is replaced, and not a link to it. */
export function targetFolder({ io: { cwd } }: Context, to: string): string {
  const path = resolve(cwd, to);
  if (!isFolder(path)) {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
      throw refused(to, `is a link to no folder`, 'Name a folder, or the place where one is to be made.');
    return path;
  }
  const folder = realpathSync(path);
  if (!`${realpathSync(cwd)}${sep}`.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)) return folder;
  throw refused(to, 'is a folder that you are in, and would be replaced', 'Name another, or go elsewhere first.');
}

function refused(to: string, what: string, remedy: string): IcecoreError {
  return new IcecoreError('usage', `--output: ${to === '' ? '.' : to} ${what}`, {
    facts: { field: '--output', found: to },
    remedy,
  });
}

type OneFileFormat = 'arrow' | 'ndjson';

/** Longer than anybody waits; whoever does not want to stops it. */
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

interface ExportTablesOptions extends RunsTyped {
  readonly output: string;
  readonly format: ExportTablesResult['as'];
}

export async function exportTablesInto(
  context: Context,
  named: readonly string[],
  options: ExportTablesOptions,
): Promise<number> {
  const asked = runsAsked(options);
  return await withLedgerToRead(context.session, async (ledger) => {
    const started = performance.now();
    const runs = await wantedRuns(ledger, asked);
    const choice = await chosenTables(named, runs, options.format === 'parquet');
    // What cannot go there is refused before tables are filled for it.
    const to = targetFolder(context, options.output);
    await requireFree({ folder: to, ledger: ledger.id });
    const folder = tablesFolder(context.io, ledger);
    const made = await withTablesProgress(context.session, ledger, (filling) => snapshotOf(ledger, folder, filling));
    const snapshot = { ...made, unknown: unknownTo(context.session, made.unknown) };
    if (snapshot.behind > 0)
      await context.say(`another process keeps the tables: this export lacks ${counted(snapshot.behind, 'event')}`);
    if (snapshot.unknown.length > 0) await context.say(unknownText(snapshot.unknown));
    const exported = await written(context, { ledger, snapshot, choice, runs, to, format: options.format });
    const seconds = (performance.now() - started) / 1000;
    const result = resultOf(exported, { ledger, snapshot, choice, to, seconds });
    if (context.flags.json) await context.printJson(result);
    else await tell(context, result, options.output);
    return 0;
  });
}

interface Wanted {
  readonly ledger: Ledger;
  readonly snapshot: Snapshot;
  readonly choice: Choice;
  readonly runs: Awaited<ReturnType<typeof wantedRuns>>;
  readonly to: string;
  readonly format: ExportTablesOptions['format'];
}

async function written(context: Context, { ledger, snapshot, choice, runs, to, format }: Wanted): Promise<Exported> {
  const progress = new Progress(context, 'tables');
  try {
    return await exportTables({
      ledger,
      snapshot: snapshot.path,
      to,
      choice,
      runs,
      as: format,
      icecore: icecoreVersion(),
      writer: (path, spill) => (format === 'parquet' ? parquetWriter(path, spill) : oneFileWriter(path, format)),
      signal: context.signal,
      onProgress: (done, of) => progress.update({ done, of }),
    });
  } finally {
    await progress.end();
  }
}

interface Circumstances {
  readonly ledger: Ledger;
  readonly snapshot: Snapshot;
  readonly choice: Choice;
  readonly to: string;
  readonly seconds: number;
}

function resultOf({ manifest, replaced }: Exported, circumstances: Circumstances): ExportTablesResult {
  const { ledger, snapshot, choice, to, seconds } = circumstances;
  const tables = manifest.tables.map(({ name, rows, files }) => ({
    name,
    rows,
    files: files.length,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
  }));
  const all = (of: 'rows' | 'files' | 'bytes'): number => tables.reduce((sum, one) => sum + one[of], 0);
  return {
    ledger: ledger.url,
    folder: to,
    as: manifest.as as ExportTablesResult['as'],
    replaced,
    events: manifest.head.events,
    behind: snapshot.behind,
    unknown: snapshot.unknown.reduce((sum, { events }) => sum + events, 0),
    runs: manifest.runs,
    tables,
    leftOut: [...choice.leftOut],
    rows: all('rows'),
    files: all('files'),
    bytes: all('bytes'),
    seconds: Number(seconds.toFixed(3)),
  };
}

async function tell(context: Context, result: ExportTablesResult, to: string): Promise<void> {
  const right = { align: 'right' } as const;
  const columns = [
    { title: 'table' },
    { title: 'rows', ...right },
    { title: 'files', ...right },
    { title: 'size', ...right },
  ];
  const rows = result.tables.map(({ name, rows, files, bytes }) => [name, count(rows), count(files), size(bytes)]);
  await context.print(table(columns, rows, context.io.stdout));
  const { tables, files, bytes, seconds, replaced, folder, leftOut } = result;
  const done = `${counted(tables.length, 'table')}, ${counted(result.rows, 'row')} in ${counted(files, 'file')}`;
  const where = `${replaced ? 'in the place of the export before, ' : ''}in ${folder}`;
  await context.print(`${visible(`${done}, ${size(bytes)}, ${duration(seconds)}, ${where}`)}\n`);
  if (leftOut.length > 0) await context.say(`left out, since they are not of single runs: ${leftOut.join(', ')}`);
  const [first] = tables;
  if (result.as !== 'parquet' || first === undefined) return;
  const pattern = `${to}/${first.name}/**/*.parquet`.replaceAll("'", "''");
  const query = `FROM read_parquet('${pattern}', hive_partitioning = true)`;
  await context.say(`to read it: duckdb -c ${shellWord(query)}`);
}
