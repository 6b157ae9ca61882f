// ledger -> DuckDB. Opens the file of tables that is in use, brings it up to date and closes it; where there is none, or it
// cannot be used, another is built beside it and put in use.
import type { DuckDBConnection } from '@duckdb/node-api';
import { BrokenTables, firstLine, isBroken, storageFault } from '../warehouse/errors.ts';
import { connectToFill, filling } from '../warehouse/filling.ts';
import { hold } from '../warehouse/holding.ts';
import {
  buildingPath,
  generationIn,
  generationPath,
  leaveHint,
  makeTablesFolder,
  publish,
  removeDatabase,
  removeLeftovers,
  spoolOf,
} from '../warehouse/place.ts';
import { begin, type CaughtUp, catchUp, type FillOptions, type Way } from './catching-up.ts';
import type { Source } from './source.ts';

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

export async function project(source: Source, folder: string, options: ProjectOptions = {}): Promise<Projected> {
  makeTablesFolder(folder);
  let why = options.rebuild === true ? 'it was asked for' : null;
  for (;;) {
    const generation = generationIn(folder);
    if (why === null && generation === 0) why = 'there were none';
    const path = generationPath(folder, generation);
    try {
      if (why !== null) {
        const built = await build(source, folder, generation + 1, options);
        if (built !== null) return { ...built, built: why };
        why = null;
        continue;
      }
      const done = await workOn(path, options, async (connection) => {
        const caughtUp = await catchUp(connection, wayTo(source, path), options);
        leaveHint(path, caughtUp.cursor);
        return caughtUp;
      });
      // Somebody may have put another file in use meanwhile; then this one is nobody's.
      if (generationIn(folder) === generation) return { ...done, path, built: null };
    } catch (error) {
      // And then it is of no matter what became of this one.
      if (why === null && generationIn(folder) !== generation) continue;
      const fault = storageFault(path, error);
      if (fault !== null) throw fault;
      if (why !== null || !isBroken(error)) throw error;
      why = error instanceof BrokenTables ? String(error.facts['why']) : firstLine(error);
    }
  }
}

/**
 * Builds the next file of tables and puts it in use; null where somebody else has done so meanwhile. Whoever else wants it
 * built waits for this one, and goes on with it should this process die. A beginning that cannot be gone on with is left
 * lying, since others may have it open, and another is made under the number behind it.
 */
async function build(
  source: Source,
  folder: string,
  generation: number,
  options: ProjectOptions,
): Promise<(CaughtUp & { readonly path: string }) | null> {
  const buildAs = (number: number): Promise<(CaughtUp & { readonly path: string }) | null> => {
    const path = buildingPath(folder, number);
    return workOn(path, options, async (connection) => {
      if (generationIn(folder) >= generation) {
        removeDatabase(path);
        return null;
      }
      await begin(connection, source);
      const done = await catchUp(connection, wayTo(source, path), options);
      // What the log of a file holds would not be found under another name.
      await connection.run('CHECKPOINT');
      publish(folder, number);
      leaveHint(generationPath(folder, number), done.cursor);
      return { ...done, path: generationPath(folder, number) };
    });
  };
  return await buildAs(generation).catch((error: unknown) => {
    if (!isBroken(error)) throw error;
    return buildAs(generation + 1);
  });
}

function wayTo(source: Source, path: string): Way {
  return { source, path, folder: spoolOf(path) };
}

async function workOn<Result>(
  path: string,
  options: ProjectOptions,
  body: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  const held = await hold(path, filling, options);
  try {
    removeLeftovers(path);
    return await body(await connectToFill(held));
  } finally {
    held.release();
  }
}
