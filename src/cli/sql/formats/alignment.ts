// Which columns hold numbers, which people compare digit below digit.
import { type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';

const numeric: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.TINYINT,
  DuckDBTypeId.SMALLINT,
  DuckDBTypeId.INTEGER,
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.UTINYINT,
  DuckDBTypeId.USMALLINT,
  DuckDBTypeId.UINTEGER,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.UHUGEINT,
  DuckDBTypeId.BIGNUM,
  DuckDBTypeId.FLOAT,
  DuckDBTypeId.DOUBLE,
  DuckDBTypeId.DECIMAL,
]);

export function isNumeric({ typeId }: DuckDBType): boolean {
  return numeric.has(typeId);
}

/** Numbers that are measured and not counted: shown with as many digits as matter. */
export function isMeasured({ typeId }: DuckDBType): boolean {
  return typeId === DuckDBTypeId.DOUBLE || typeId === DuckDBTypeId.FLOAT;
}
