// What `icecore export tables` does.
import type { ExportTablesResult } from '../../../schemas/export-output.ts';
import { table } from '../../analysis/document/layout.ts';
import { requireFree } from '../../analysis/export/folder/folder.ts';
import { wantedRuns } from '../../analysis/export/runs-wanted.ts';
import { type Choice, chosenTables } from '../../analysis/export/tables/choice.ts';
import { parquetWriter } from '../../analysis/export/tables/parquet.ts';
import { type Exported, exportTables } from '../../analysis/export/tables/tables.ts';
import { count, counted, duration, size } from '../../base/quantity.ts';
import { visible } from '../../base/visible.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { shellWord } from '../../ledger/shell-word.ts';
import { type Snapshot, snapshotOf } from '../../projections/snapshot.ts';
import type { Context } from '../context.ts';
import { withLedgerToRead } from '../ledger.ts';
import { Progress } from '../output/progress.ts';
import { tablesFolder } from '../tables/folder.ts';
import { withProgress } from '../tables/progress.ts';
import { unknownText, unknownTo } from '../tables/unknown.ts';
import { icecoreVersion } from '../version.ts';
import { oneFileWriter } from './one-file.ts';
import { type RunsTyped, runsAsked } from './runs-asked.ts';
import { targetFolder } from './target.ts';

export interface ExportTablesOptions extends RunsTyped {
  readonly output: string;
  readonly format: ExportTablesResult['as'];
}

export async function exportTablesInto(
  context: Context,
  named: readonly string[],
  options: ExportTablesOptions,
): Promise<number> {
  const asked = runsAsked(options);
  return await withLedgerToRead(context, async (ledger) => {
    const started = performance.now();
    const runs = await wantedRuns(ledger, asked);
    const choice = await chosenTables(named, runs, options.format === 'parquet');
    // What cannot go there is refused before tables are filled for it.
    const to = targetFolder(context, options.output);
    await requireFree({ folder: to, ledger: ledger.id });
    const folder = tablesFolder(context.io, ledger);
    const made = await withProgress(context, ledger, (filling) => snapshotOf(ledger, folder, filling));
    const snapshot = { ...made, unknown: unknownTo(context.io, made.unknown) };
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
