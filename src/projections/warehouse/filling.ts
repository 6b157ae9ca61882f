// How DuckDB is set where tables are filled.
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Held } from './holding.ts';

/**
 * Rows may lie in any order, which several threads fill faster. What is committed goes into the file at once: written to the
 * log first, it would be written twice.
 */
export const filling: Readonly<Record<string, string>> = {
  preserve_insertion_order: 'false',
  memory_limit: '300MB',
  checkpoint_threshold: '1KB',
  autoload_known_extensions: 'false',
  autoinstall_known_extensions: 'false',
};

/** They save a third of the room, and to choose among them costs time with every batch. */
const slowToChoose = 'alp,alprd,chimp,patas,fsst,dict_fsst,zstd';

export async function connectToFill(held: Held): Promise<DuckDBConnection> {
  const connection = await held.connect();
  await connection.run(`SET disabled_compression_methods = '${slowToChoose}'`);
  return connection;
}
