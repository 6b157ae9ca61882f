// What a table's SQL file says: its documentation, the tables of schema `log` that are filled, from which events and how,
// and the view that people see.
//
// A file begins with comments: what the table is. Then come statements, each ended by a semicolon at the end of a line:
//   CREATE TABLE log.x (...)               what is filled, a column a line
//   -- filled from decisions               above it: with rows of the read model of decisions (../model), by the names of columns;
//                                          `owner` is the stream whose events they are made from
//   ..., shown with run: MEANING           with a view of the same name: the name of its run, and the columns that have a meaning
//   -- fill from RolloutRecorded           above it: a row for each event of these types, or of `all but` these. A column holds
//                                          what `AS (...)` says of the event, or else what the event has of that name
//   INSERT INTO log.x SELECT ... FROM batch    below `-- fill from`: where rows are not events. `batch` holds events of one
//                                          type, `data` in the shape of its current version; of `all but` some types,
//                                          JSON as it was recorded, whatever type and version
//   -- add up rollouts                     above it: with sums over the rows that a transaction added to a table of the same file;
//                                          a column without `AS (...)` is one that they are grouped by
//   CREATE VIEW / CREATE MACRO             what is made of it, for people
// A column that people see has its meaning in a comment behind it, continued on the next lines: where it is stored, or else in
// the SELECT of the view.
import { createHash } from 'node:crypto';
import { modelTypes, modelVersion } from '../model/model.ts';
import { quoteName } from '../sql.ts';

interface ColumnMeaning {
  readonly name: string;
  readonly meaning: string;
}

export interface Fill {
  readonly from: { readonly types: readonly string[]; readonly but: boolean };
  readonly sql: string;
}

/** Sums over a filled table that are kept beside it. */
interface Tally {
  /** The table of schema `log` that is added up. */
  readonly of: string;
  readonly sql: string;
}

export interface TableDefinition {
  readonly name: string;
  readonly meaning: string;
  /** That of a plugin. */
  readonly plugin?: string;
  readonly columns: readonly ColumnMeaning[];
  /** The tables of schema `log`, by name: their CREATE. */
  readonly stored: ReadonlyMap<string, string>;
  readonly fills: readonly Fill[];
  readonly tallies: readonly Tally[];
  /** Those of the stored tables that the read model of decisions fills. */
  readonly modelled: readonly string[];
  /** CREATE VIEW and CREATE MACRO statements. */
  readonly made: readonly string[];
}

/** Throws TypeError on a file that is not written as above: it is part of icecore. */
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

/** What the columns of a table hold: what they say, or else what their rows are made from has of that name. */
function valuesIn(sql: string): readonly (string | undefined)[] {
  const columns = sql.matchAll(/^ {2}("?\w+"?) .+?(?: AS \((.+)\))?,?$/gm);
  return Array.from(columns, ([, name, value = name]) => value);
}

/** Comments say why to who reads the file; a change of theirs changes no table. */
function withoutComments(statement: string): string {
  return statement.replaceAll(/\s*--.*$/gm, '').trim();
}

/** `named`: where the name of a column is in the SQL before its comment. */
function meaningsIn(statement: string, named: RegExp): readonly ColumnMeaning[] {
  const found = statement.matchAll(/^ *(?!--)(\S.*?),? +-- (.+(?:\n +-- .+)*)$/gm);
  return Array.from(found, ([, sql = '', meaning = '']) => ({
    name: named.exec(sql.replaceAll('"', ''))?.[0] ?? sql,
    meaning: meaning.replaceAll(/\n +-- /g, ' '),
  }));
}
