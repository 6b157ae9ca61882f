// ledger -> DuckDB. Opens the file of tables that is in use, brings it up to date and closes it; where there is none, or it
// cannot be used, another is built beside it and put in use.
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Ledger } from '../../ledger/ledger.ts';
import { BrokenTables, firstLine, isBroken } from '../warehouse/errors.ts';
import { filling } from '../warehouse/filling.ts';
import { hold } from '../warehouse/holding.ts';
import {
  buildingPath,
  generationIn,
  generationPath,
  makeTablesFolder,
  publish,
  removeDatabase,
} from '../warehouse/place.ts';
import { begin, type CaughtUp, catchUp, type FillOptions } from './catching-up.ts';
import { removeLeftovers } from './leftovers.ts';

export interface Projected extends CaughtUp {
  /** The file of tables. */
  readonly path: string;
  /** Why it was built anew; null where it was not. */
  readonly built: string | null;
}

export interface ProjectOptions extends FillOptions {
  /** Builds all tables anew, whatever is there. */
  readonly rebuild?: boolean;
  /** How long to wait for others, in milliseconds. */
  readonly patience?: number;
}

export async function project(ledger: Ledger, folder: string, options: ProjectOptions = {}): Promise<Projected> {
  makeTablesFolder(folder);
  removeLeftovers(folder);
  let why = options.rebuild === true ? 'it was asked for' : null;
  for (;;) {
    const generation = generationIn(folder);
    if (why === null && generation === 0) why = 'there were none';
    try {
      if (why !== null) {
        const done = await build(ledger, folder, generation + 1, options);
        if (done !== null) return { ...done, path: generationPath(folder, generation + 1), built: why };
        why = null;
        continue;
      }
      const path = generationPath(folder, generation);
      const done = await workOn(path, options, (connection) => catchUp(connection, { ledger, path, folder }, options));
      // Somebody may have put another file in use meanwhile; then this one is nobody's.
      if (generationIn(folder) === generation) return { ...done, path, built: null };
    } catch (error) {
      if (why !== null || !isBroken(error)) throw error;
      if (generationIn(folder) === generation)
        why = error instanceof BrokenTables ? String(error.facts['why']) : firstLine(error);
    }
  }
}

/**
 * Null where somebody else has put one in use meanwhile. Builds the next file of tables. Whoever else wants it built waits for this one, and goes on with it should this process
 * die.
 */
async function build(
  ledger: Ledger,
  folder: string,
  generation: number,
  options: ProjectOptions,
): Promise<CaughtUp | null> {
  const path = buildingPath(folder, generation);
  const fill = (): Promise<CaughtUp | null> =>
    workOn(path, options, async (connection) => {
      if (generationIn(folder) >= generation) return null;
      await begin(connection, ledger);
      return await catchUp(connection, { ledger, path, folder }, options);
    });
  const done = await fill().catch(async (error: unknown) => {
    if (!isBroken(error)) throw error;
    removeDatabase(path);
    return await fill();
  });
  if (done !== null && generationIn(folder) < generation) publish(folder, generation);
  if (generationIn(folder) === generation) removeDatabase(path);
  return done;
}

async function workOn<Result>(
  path: string,
  { signal, patience }: ProjectOptions,
  body: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  const held = await hold(path, filling, { signal, ...(patience === undefined ? {} : { patience }) });
  try {
    const connection = await held.instance.connect();
    try {
      return await body(connection);
    } finally {
      connection.closeSync();
    }
  } finally {
    held.release();
  }
}
