// A row a line, as JSON that is safe on a terminal too.
import type { DuckDBDataChunk } from '@duckdb/node-api';
import type { Answer, Column } from '../../../projections/query/questions.ts';
import { cellsOf } from './cells.ts';
import { json, stringText } from './json-text.ts';
import { apart } from './names.ts';
import type { Options } from './options.ts';
import { eachLine, type Written } from './portions.ts';

export async function writeNdjson(answer: Answer, options: Options): Promise<Written> {
  const objects = objectsOf(answer.columns);
  return await eachLine(answer, options, (chunk) => {
    const object = objects(chunk);
    return (row) => `${object(row)}\n`;
  });
}

/** Rows as objects, whose members are told apart where columns have one name. */
export function objectsOf(columns: readonly Column[]): (chunk: DuckDBDataChunk) => (row: number) => string {
  const keys = apart(columns.map(({ name }) => name)).map(stringText);
  return (chunk) => {
    const cells = cellsOf(chunk, columns, json);
    return (row) => `{${cells.map((cell, i) => `${keys[i]}:${cell(row) ?? 'null'}`).join(',')}}`;
  };
}
