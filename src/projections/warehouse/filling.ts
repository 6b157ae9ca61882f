// How DuckDB is set where tables are filled.

/** Rows may lie in any order, which several threads fill faster. Nothing is fetched from anywhere. */
export const filling: Readonly<Record<string, string>> = {
  preserve_insertion_order: 'false',
  memory_limit: '600MB',
  autoload_known_extensions: 'false',
  autoinstall_known_extensions: 'false',
};
