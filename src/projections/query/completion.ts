// What a text could go on with: DuckDB's own suggestions, without the statements that would be refused anyway.
import type { DuckDBConnection } from '@duckdb/node-api';
import { allowedStatements } from './errors.ts';
import { indexAt } from './place.ts';

export interface Completion {
  /** With a blank behind it where a keyword is meant. */
  readonly suggestion: string;
  /** The index in the text from which the suggestion stands in for what is there. */
  readonly start: number;
}

const beginnings: ReadonlySet<string> = new Set(allowedStatements.toLowerCase().split(', '));

export async function completionsOf(connection: DuckDBConnection, text: string): Promise<readonly Completion[]> {
  const reader = await connection.runAndReadAll(
    'SELECT suggestion, suggestion_start, suggestion_type FROM sql_auto_complete($1::VARCHAR)',
    [text],
  );
  return reader.getRows().flatMap(([suggestion, at, kind]) => {
    const found = { suggestion: String(suggestion), start: indexAt(text, Number(at)) };
    const begins = kind === 'keyword' && text.slice(0, found.start).trim() === '';
    return begins && !beginnings.has(found.suggestion.trim()) ? [] : [found];
  });
}
