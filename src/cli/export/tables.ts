// What `icecore export tables` does.
import type { ExportTablesResult } from '../../../schemas/export-output.ts';
import { escapeControls } from '../../base/escape.ts';
import { count, counted, duration, size } from '../../base/quantity.ts';
import { shellWord } from '../../base/shell-word.ts';
import { table } from '../../document/layout.ts';
import { type ExportTablesOptions, exportTables } from '../../library/transfer/tables.ts';
import type { Context } from '../context.ts';

export async function exportTablesInto(context: Context, options: ExportTablesOptions): Promise<number> {
  const result = await exportTables(context.session, options);
  if (context.flags.json) await context.printJson(result);
  else await tell(context, result, options.output);
  return 0;
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
  const where = `${replaced ? 'replacing the previous export, ' : ''}in ${folder}`;
  await context.print(`${escapeControls(`${done}, ${size(bytes)}, ${duration(seconds)}, ${where}`)}\n`);
  if (leftOut.length > 0) await context.say(`left out, because they are not about single runs: ${leftOut.join(', ')}`);
  const [first] = tables;
  if (result.as !== 'parquet' || first === undefined) return;
  const pattern = `${to}/${first.name}/**/*.parquet`.replaceAll("'", "''");
  const query = `FROM read_parquet('${pattern}', hive_partitioning = true)`;
  await context.say(`to read it: duckdb -c ${shellWord(query)}`);
}
