// CSV and Parquet.
//
// CSV follows RFC 4180, with a header and quotes where needed, except that lines end with LF as in DuckDB and on Unix, where a
// carriage return would become part of the last field. NULL is empty, an empty text is "". DuckDB's COPY writes the same, but only to
// files, while a pipe or a terminal needs rows as they arrive.
import { readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DuckDBTypeId } from '@duckdb/node-api';
import { escapeControlsInLines } from '../../../base/escape.ts';
import { quote } from '../../../base/sql-quoting.ts';
import { TooMuchDisk } from '../../../projections/query/errors.ts';
import type { Answer, Column } from '../../../projections/query/questions.ts';
import { apart, openScratch, ScratchTable, scratchFault } from '../../../projections/query/scratch.ts';
import { cellName, eachText, type Options, piecesOf, textsOf, type Written } from './batches.ts';
import { scratchType } from './json.ts';

export async function writeCsv(answer: Answer, options: Options): Promise<Written> {
  const { columns } = answer;
  const { out } = options;
  const names = apart(columns.map(({ name }) => name));
  // A file gets the exact bytes; a terminal would interpret control characters.
  const header = `${names.map(headerField).join(',')}\n`;
  await out.write(out.isTTY ? escapeControlsInLines(header) : header);
  const fields = columns.map((column, i) => field(column, cellName(i)));
  const sql = `string_agg(concat(${fields.join(`, ',', `)}, chr(10)), '')`;
  const types = columns.map(() => 'VARCHAR');
  return await eachText(answer, options, types, sql, async (bytes) => {
    if (out.isTTY) for (const text of textsOf(bytes)) await out.write(escapeControlsInLines(text));
    else for (const piece of piecesOf(bytes)) await out.write(piece);
  });
}

function headerField(name: string): string {
  return /^$|[",\r\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
}

/** Types whose texts never need quotes. */
const plain: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.BOOLEAN,
  DuckDBTypeId.TINYINT,
  DuckDBTypeId.SMALLINT,
  DuckDBTypeId.INTEGER,
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.FLOAT,
  DuckDBTypeId.DOUBLE,
  DuckDBTypeId.DECIMAL,
  DuckDBTypeId.DATE,
  DuckDBTypeId.TIMESTAMP,
  DuckDBTypeId.TIMESTAMP_TZ,
  DuckDBTypeId.UUID,
]);

function field({ type }: Column, cell: string): string {
  if (plain.has(type.typeId)) return cell;
  const quoted = `concat('"', replace(${cell}, '"', '""'), '"')`;
  return `CASE WHEN ${cell} = '' OR regexp_matches(${cell}, '[",\\r\\n]') THEN ${quoted} ELSE ${cell} END`;
}

interface ParquetOptions {
  /** Maximum number of rows; null: all. */
  readonly limit: number | null;
  readonly memoryMegabytes: number;
  readonly diskMegabytes: number;
}

/** The share of the query's memory for the scratch table; the rest goes to disk. */
const scratchShare = 0.5;

/** Returns the number of rows. The folder of the file is removed with its content, so data that exceeds memory goes there too. */
export async function writeParquet(answer: Answer, file: string, options: ParquetOptions): Promise<number> {
  const spill = join(dirname(file), 'spill');
  const memoryMegabytes = Math.ceil(options.memoryMegabytes * scratchShare);
  const scratch = { memoryMegabytes, diskMegabytes: options.diskMegabytes, folder: spill };
  const instance = await openScratch(scratch);
  try {
    const names = apart(
      answer.columns.map(({ name }) => name),
      { first: 2, ignoresCase: true },
    );
    const columns = answer.columns.map(({ type }, i) => ({ name: names[i] ?? '', type: scratchType(type, String) }));
    const table = await ScratchTable.make(instance, columns);
    const rows = await filled(table, answer, options, spill);
    table.flush();
    await table.connection.run(`COPY rows TO ${quote(file)} (FORMAT parquet)`);
    return rows;
  } catch (error) {
    throw scratchFault(error, scratch);
  } finally {
    instance.closeSync();
    await rm(spill, { recursive: true, force: true });
  }
}

const chunksBetweenLooks = 16;

async function filled(table: ScratchTable, answer: Answer, options: ParquetOptions, spill: string): Promise<number> {
  const { limit, diskMegabytes } = options;
  let [rows, chunks] = [0, 0];
  for await (const chunk of answer.chunks()) {
    if (++chunks % chunksBetweenLooks === 0) await requireRoom(spill, diskMegabytes);
    if (limit !== null) chunk.rowCount = Math.min(chunk.rowCount, limit - rows);
    await table.append(chunk);
    rows += chunk.rowCount;
    if (rows === limit) break;
  }
  return rows;
}

/** DuckDB's own limit does not cover appended rows. */
async function requireRoom(spill: string, diskMegabytes: number): Promise<void> {
  const names = await readdir(spill).catch(() => []);
  let bytes = 0;
  for (const name of names) bytes += (await stat(join(spill, name)).catch(() => null))?.size ?? 0;
  if (bytes > diskMegabytes * 2 ** 20) throw new TooMuchDisk(diskMegabytes);
}
