// How DuckDB is set where tables are filled.
import { locked } from './holding.ts';
import { spoolOf } from './place.ts';

/** They save a third of the room, and to choose among them costs time with every batch. */
const slowToChoose = 'alp,alprd,chimp,patas,fsst,dict_fsst,zstd';

/**
 * Rows may lie in any order, which several threads fill faster. What is committed goes into the file at once: written to the
 * log first, it would be written twice. Beside the file itself only its own spool can be read and written: that is where
 * DuckDB may keep what does not fit into memory, and it takes no other folder once external access is off.
 */
export function fillingIn(path: string): Readonly<Record<string, string>> {
  return {
    preserve_insertion_order: 'false',
    memory_limit: '300MB',
    checkpoint_threshold: '1KB',
    disabled_compression_methods: slowToChoose,
    temp_directory: spoolOf(path),
    allowed_configs: "['max_vacuum_tasks', 'threads']",
    ...locked,
  };
}
