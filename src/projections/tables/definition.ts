// Parses the SQL file of a table: its documentation, the filled tables of schema `log` with their source events, and the
// public view.
//
// A file starts with comments that describe the table, followed by statements, each ended by a semicolon at a line end:
//   CREATE TABLE log.x (...)               a filled table, one column per line
//   -- filled from decisions               above it: filled with rows of the read model (../model) by column name; `owner` is
//                                          the stream of the source events
//   ..., shown with run: MEANING           and with a public view of the same name: the run's name and all described columns
//   -- fill from RolloutRecorded           above it: a row for each event of these types, or of `all but` these. A column has
//                                          the value of its `AS (...)`, otherwise the event's field of the same name
//   INSERT INTO log.x SELECT ... FROM batch    below `-- fill from`: if rows are not events. `batch` has events of one type,
//                                          `data` in the shape of its current version; for `all but` some types, JSON as
//                                          recorded for any type and version
//   -- add up rollouts                     above it: sums over the rows that a transaction added to a table of the same file;
//                                          columns without `AS (...)` are the groups
//   CREATE VIEW / CREATE MACRO             the public view or macro
// Each public column is described by a comment after it, continued on the next lines: where it is stored, otherwise in the
// SELECT of the view.
import { createHash } from 'node:crypto';
import { quoteName } from '../../base/sql-quoting.ts';
import { modelTypes, modelVersion } from '../model/rows.ts';

interface ColumnMeaning {
  readonly name: string;
  readonly meaning: string;
}

export interface Fill {
  readonly from: { readonly types: readonly string[]; readonly but: boolean };
  readonly sql: string;
}

/** Stored sums over a filled table. */
interface Tally {
  /** The summed table of schema `log`. */
  readonly of: string;
  readonly sql: string;
}

export interface TableDefinition {
  readonly name: string;
  readonly meaning: string;
  /** Set for a plugin's table. */
  readonly plugin?: string;
  readonly columns: readonly ColumnMeaning[];
  /** The CREATE statements of tables in schema `log`, by name. */
  readonly stored: ReadonlyMap<string, string>;
  readonly fills: readonly Fill[];
  readonly tallies: readonly Tally[];
  /** The stored tables that the read model fills. */
  readonly modelled: readonly string[];
  /** CREATE VIEW and CREATE MACRO statements. */
  readonly made: readonly string[];
}

/** Throws TypeError for an invalid file, which is a bug, because the files are part of icecore. */
export function parseDefinition(name: string, text: string): TableDefinition {
  const [head = ''] = /^(?:--.*\n)*/.exec(text) ?? [];
  const parts = text
    .split(/(?<!--.*);[ \t]*(?:\n|$)/)
    .filter((statement) => withoutComments(statement) !== '')
    .map((statement) => parseStatement(name, statement));
  return {
    name,
    meaning: head.replaceAll(/^--(.*)\n/gm, '$1').trim(),
    columns: parts.flatMap(({ columns = [] }) => columns),
    stored: new Map(parts.flatMap(({ stored = [] }) => [...stored])),
    modelled: parts.flatMap(({ modelled = [] }) => modelled),
    fills: parts.flatMap(({ fills = [] }) => fills),
    tallies: parts.flatMap(({ tallies = [] }) => tallies),
    made: parts.flatMap(({ made = [] }) => made),
  };
}

/**
 * Changes when what is stored, or how it is filled, does: also when a type of event it is filled from gets another version or
 * is upcast otherwise. `fingerprints` has one for each type that is known.
 */
export function fillDigest(definition: TableDefinition, fingerprints: ReadonlyMap<string, string>): string {
  const { stored, fills, tallies, modelled } = definition;
  // What a fill takes all but some types of is recorded text; of the others it gets what cannot be read as what it is.
  const isModelled = modelled.length > 0;
  const types = [...new Set([...fills.flatMap(({ from }) => from.types), ...(isModelled ? modelTypes : [])])].sort();
  const read = types.map((type) => [type, fingerprints.get(type) ?? null]);
  return createHash('sha256')
    .update(JSON.stringify([[...stored], fills, tallies, read, isModelled ? [modelled, modelVersion] : []]))
    .digest('hex');
}

function parseStatement(name: string, statement: string): Partial<TableDefinition> {
  const sql = withoutComments(statement);
  const [, stored] = /^CREATE TABLE log\.(\w+)/.exec(sql) ?? [];
  const [, but, types] = /^-- fill from (all but )?([\w, ]+)$/m.exec(statement) ?? [];
  const from = types === undefined ? null : { types: types.split(', '), but: but !== undefined };
  if (stored !== undefined) {
    const [, of] = /^-- add up (\w+)$/m.exec(statement) ?? [];
    const rows = `INSERT INTO log.${stored}\nSELECT\n  ${valuesIn(sql).join(',\n  ')}\nFROM`;
    const [, run] = /^-- .+, shown with run: (.+)$/m.exec(statement) ?? [];
    const columns = meaningsIn(statement, /^\w+/);
    return {
      stored: new Map([[stored, sql.replaceAll(/ AS \(.+\)(,?)$/gm, '$1')]]),
      modelled: /^-- filled from decisions\b/m.test(statement) ? [stored] : [],
      fills: from === null ? [] : [{ from, sql: `${rows} batch` }],
      tallies: of === undefined ? [] : [{ of, sql: `${rows} added\nGROUP BY ALL` }],
      made: run === undefined ? [] : [viewWithRun(stored, columns)],
      columns: run === undefined ? columns : [{ name: 'run', meaning: run }, ...columns],
    };
  }
  if (/^CREATE (VIEW|MACRO) /.test(sql)) return { made: [sql], columns: meaningsIn(statement, /\w+$/) };
  if (from !== null && sql.startsWith('INSERT INTO log.')) return { fills: [{ from, sql }] };
  throw new TypeError(`${name}.sql: not understood: ${sql.slice(0, 80)}`);
}

function viewWithRun(stored: string, columns: readonly ColumnMeaning[]): string {
  const shown = columns.map(({ name }) => `t.${quoteName(name)}`);
  return `CREATE VIEW ${stored} AS
SELECT n.run, ${shown.join(', ')}
FROM log.${stored} AS t LEFT JOIN log.run_names AS n ON n.run_id = t.run_id`;
}

/** The values of a table's columns: their expressions, otherwise the source's fields of the same name. */
function valuesIn(sql: string): readonly (string | undefined)[] {
  const columns = sql.matchAll(/^ {2}("?\w+"?) .+?(?: AS \((.+)\))?,?$/gm);
  return Array.from(columns, ([, name, value = name]) => value);
}

/** Changes in comments change no table. */
function withoutComments(statement: string): string {
  return statement.replaceAll(/\s*--.*$/gm, '').trim();
}

/** `named` matches a column's name in the SQL before its comment. */
function meaningsIn(statement: string, named: RegExp): readonly ColumnMeaning[] {
  const found = statement.matchAll(/^ *(?!--)(\S.*?),? +-- (.+(?:\n +-- .+)*)$/gm);
  return Array.from(found, ([, sql = '', meaning = '']) => ({
    name: named.exec(sql.replaceAll('"', ''))?.[0] ?? sql,
    meaning: meaning.replaceAll(/\n +-- /g, ' '),
  }));
}
