// How values are written as text, single ones and nested ones.
import type { DuckDBType, DuckDBValue } from '@duckdb/node-api';

export interface Form {
  /** Writes values of a type that holds no others; never NULL. */
  single(type: DuckDBType): (value: DuckDBValue) => string;
  /** What stands for the text of a value within another one; null is NULL. */
  inside(type: DuckDBType): (text: string | null) => string;
  list(items: readonly string[]): string;
  struct(names: readonly string[], fields: readonly string[]): string;
  /** Of texts as they would stand outside. */
  key(type: DuckDBType): (text: string) => string;
  map(keys: readonly string[], values: readonly string[]): string;
  union(tag: string, value: string): string;
}
