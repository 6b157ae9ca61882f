// An answer as a Parquet file. The statement of a person never meets COPY: its rows are taken as for any other answer, put
// into tables of its own, and those are copied to a file beside the place it is meant for, which gets it when it is whole.
// What somebody left there who was killed is removed on the way.
import { createReadStream, createWriteStream } from 'node:fs';
import { access, readdir, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { IcecoreError } from '../../../schemas/errors.ts';
import { withWorkingFolder } from '../../ledger/temporary.ts';
import { quote } from '../sql.ts';
import type { Answer, Column } from './answer.ts';
import { TooMuchDisk, TooMuchMemory } from './errors.ts';
import { scratchShare } from './limits.ts';
import { openScratch } from './open.ts';
import { saidBy } from './said.ts';
import { Watch } from './watch.ts';

export interface Into {
  readonly path: string;
  /** Rows at most; null: all there are. */
  readonly limit: number | null;
  readonly memoryMegabytes: number;
  readonly diskMegabytes?: number;
  readonly seconds: number;
  readonly signal: AbortSignal;
}

/** The number of rows written. A file that is there is replaced. */
export async function writeAsParquet(answer: Answer, into: Into): Promise<number> {
  const beside = dirname(into.path);
  await access(beside);
  return await withWorkingFolder(beside, async (folder) => {
    const whole = join(folder, 'whole.parquet');
    const rows = await throughScratch(answer, folder, whole, into);
    await give(whole, into.path);
    return rows;
  });
}

/** What is no file, a pipe or a device, is written to and never replaced. */
export async function give(whole: string, path: string): Promise<void> {
  const isReplaced = (await stat(path).catch(() => null))?.isFile() ?? true;
  if (isReplaced) await rename(whole, path);
  else await pipeline(createReadStream(whole), createWriteStream(path));
}

async function throughScratch(answer: Answer, folder: string, whole: string, into: Into): Promise<number> {
  const { memoryMegabytes, diskMegabytes } = into;
  const instance = await openScratch(join(folder, 'spill'), Math.ceil(memoryMegabytes * scratchShare), diskMegabytes);
  try {
    const connection = await instance.connect();
    const rows = await fill(connection, answer, into, join(folder, 'spill'));
    const watch = new Watch(connection, into.seconds, into.signal);
    await watch.during(() => connection.run(`COPY rows TO ${quote(whole)} (FORMAT parquet)`));
    connection.closeSync();
    return rows;
  } catch (error) {
    throw scratchFault(error, into);
  } finally {
    instance.closeSync();
  }
}

function scratchFault(error: unknown, { diskMegabytes, memoryMegabytes }: Into): unknown {
  if (error instanceof IcecoreError || saidBy(error).kind !== 'Out of Memory') return error;
  if (diskMegabytes === undefined) return new TooMuchMemory(memoryMegabytes, error);
  return new TooMuchDisk(diskMegabytes, error);
}

async function fill(connection: DuckDBConnection, answer: Answer, into: Into, spill: string): Promise<number> {
  const { limit } = into;
  await connection.run(`CREATE TABLE rows (${declared(answer.columns)})`);
  const appender = await connection.createAppender('rows');
  let [rows, chunks] = [0, 0];
  for await (const chunk of answer.chunks()) {
    if (++chunks % chunksBetweenLooks === 0) await requireRoom(spill, into.diskMegabytes);
    if (limit !== null) chunk.rowCount = Math.min(chunk.rowCount, limit - rows);
    appender.appendDataChunk(chunk);
    rows += chunk.rowCount;
    if (rows === limit) break;
  }
  appender.closeSync();
  return rows;
}

const chunksBetweenLooks = 16;

/** DuckDB has a limit of its own, and writes beyond it where rows are appended. */
async function requireRoom(spill: string, diskMegabytes: number | undefined): Promise<void> {
  if (diskMegabytes === undefined) return;
  const names = await readdir(spill).catch(() => []);
  let bytes = 0;
  for (const name of names) bytes += (await stat(join(spill, name)).catch(() => null))?.size ?? 0;
  if (bytes > diskMegabytes * 2 ** 20) throw new TooMuchDisk(diskMegabytes);
}

/** Two columns may have one name in an answer, but not in a table: the later ones get a number. */
function declared(columns: readonly Column[]): string {
  const taken = new Set<string>();
  return columns
    .map(({ name, type }) => {
      const own = firstFree(name, taken);
      taken.add(own.toLowerCase());
      return `"${own.replaceAll('"', '""')}" ${type}`;
    })
    .join(', ');
}

function firstFree(name: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const tried = number === 1 ? name : `${name}_${number}`;
    if (!taken.has(tried.toLowerCase())) return tried;
  }
}
