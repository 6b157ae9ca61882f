// The SQL tables, computed in plain TypeScript from their documentation alone, and the comparison with those in a file.
import { type DuckDBResultReader, DuckDBTypeId } from '@duckdb/node-api';
import { canonicalJson } from '../../../schemas/canonical.ts';
import { hold } from '../warehouse/holding.ts';
import { events, modelCalls, notes } from './fold/event-tables.ts';
import { attempts, failures, rollouts, stageStats } from './fold/evidence.ts';
import type { Log, Row } from './fold/log.ts';

export { readLog } from './fold/log.ts';

const folds: Readonly<Record<string, (log: Log) => readonly Row[]>> = {
  attempts,
  rollouts,
  failures,
  stage_stats: stageStats,
  notes,
  model_calls: modelCalls,
  events,
};

export interface Compared {
  readonly table: string;
  /** Rows in both are left out. */
  readonly folded: readonly string[];
  readonly stored: readonly string[];
}

/** The tables whose rows in a file differ from those of the fold. */
export async function disagreements(log: Log, path: string): Promise<readonly Compared[]> {
  const held = await hold(path, { access_mode: 'READ_ONLY' });
  try {
    const connection = await held.connect();
    const compared: Compared[] = [];
    for (const [table, fold] of Object.entries(folds)) {
      const rows = fold(log);
      const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
      const reader = await connection.runAndReadAll(
        `SELECT ${columns.length === 0 ? '*' : columns.join(', ')} FROM ${table}`,
      );
      const stored = storedLines(reader);
      const folded = rows.map((row) => foldedLine(columns, row));
      const [missing, strange] = [without(folded, stored), without(stored, folded)];
      if (missing.length + strange.length > 0) compared.push({ table, folded: missing, stored: strange });
    }
    return compared;
  } finally {
    held.release();
  }
}

function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = Map.groupBy(others, (line) => line);
  return lines.filter((line) => left.get(line)?.pop() === undefined).sort();
}

function foldedLine(columns: readonly string[], row: Row): string {
  return canonicalJson(Object.fromEntries(columns.map((column) => [column, comparable(row[column])])));
}

function storedLines(reader: DuckDBResultReader): readonly string[] {
  const kinds = new Map(
    reader.columnNames().map((column, index) => {
      const type = reader.columnType(index);
      return [column, type.typeId === DuckDBTypeId.MAP ? 'map' : type.alias];
    }),
  );
  return reader.getRowObjectsJS().map((row) => {
    const cells = Object.entries(row).map(([column, value]) => [
      column,
      comparable(storedCell(kinds.get(column), value)),
    ]);
    return canonicalJson(Object.fromEntries(cells));
  });
}

function storedCell(kind: string | undefined, value: unknown): unknown {
  if (value === null) return null;
  if (kind === 'JSON') return { json: JSON.parse(String(value)) as unknown };
  const entries = value as readonly { readonly key: unknown; readonly value: unknown }[];
  return kind === 'map' ? Object.fromEntries(entries.map((one) => [String(one.key), one.value])) : value;
}

/** The last digits of computed values depend on the computation. */
const digits = 9;

function comparable(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'number') return Number.isInteger(value) ? value : Number(value.toPrecision(digits));
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, comparable(one)]));
}
