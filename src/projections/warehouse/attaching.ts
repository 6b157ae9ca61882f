// Several files at once: one that is held, and others attached to it by names, for reading only. Each is waited for as when it is
// held alone.
import type { DuckDBConnection } from '@duckdb/node-api';
import { quote } from '../sql.ts';
import { type Held, type HoldOptions, hold, patiently, turnAt } from './holding.ts';

export interface Attached {
  readonly name: string;
  readonly path: string;
}

/** Throws BrokenTables, TablesBusy, TablesUnwritable, TablesUnreachable. */
export async function holdWith(
  path: string,
  attached: readonly Attached[],
  settings: Readonly<Record<string, string>>,
  options: HoldOptions,
): Promise<Held> {
  const releases: (() => void)[] = [];
  const release = (): void => {
    for (const one of releases.splice(0).reverse()) one();
  };
  try {
    // In one order, so that no two wait for each other.
    for (const { path: other } of [...attached].sort((a, b) => (a.path < b.path ? -1 : 1)))
      releases.push(await turnAt(other));
    const held = await hold(path, settings, options);
    releases.push(held.release);
    const connection = await held.connect();
    for (const one of attached) await attach(connection, one, options);
    return { instance: held.instance, connect: held.connect, release };
  } catch (error) {
    release();
    throw error;
  }
}

async function attach(connection: DuckDBConnection, { name, path }: Attached, options: HoldOptions): Promise<void> {
  await patiently(path, () => connection.run(`ATTACH ${quote(path)} AS "${name}" (READ_ONLY)`), options);
}
