// What a table's SQL file says: its documentation, the tables of schema `log` that are filled, from which events and how,
// and the view that people see.
//
// A file begins with comments: what the table is, then a line for each column of the view, indented, with two spaces
// between its name and what it means. Then come statements, each ended by a semicolon at the end of a line:
//   CREATE TABLE log.x (...)               what is filled
//   -- filled from decisions               with rows of the read model of decisions (../model), by the names of columns; `owner`
//                                          is the stream whose events they are made from
//   -- fill from RolloutRecorded           of which events: names of types, or `all but` names
//   INSERT INTO log.x SELECT ... FROM batch    `batch` holds events of one type, `data` in the shape of its current version;
//                                          in `raw` the data is JSON as it was recorded, whatever type and version
//   -- add up rollouts                     of which filled table of the same file
//   INSERT INTO log.y SELECT ... FROM added    `added` holds the rows that a transaction added to it
//   CREATE VIEW / CREATE MACRO             what is made of it, for people
import { createHash } from 'node:crypto';
import { modelTypes, modelVersion } from '../model/model.ts';

interface ColumnMeaning {
  readonly name: string;
  readonly meaning: string;
}

export interface Fill {
  readonly from: { readonly types: readonly string[]; readonly but: boolean };
  /** The table of schema `log`. */
  readonly into: string;
  readonly sql: string;
  /** Whether it takes the data as JSON, as it was recorded. */
  readonly raw: boolean;
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
  const statements = text.split(/;[ \t]*(?:\n|$)/).map((statement) => statement.trim());
  const kinds = statements
    .filter((statement) => withoutComments(statement) !== '')
    .map((statement) => parseStatement(name, statement));
  return {
    name,
    ...parseHeader(text),
    stored: new Map(kinds.flatMap((kind) => ('create' in kind ? [kind.create] : []))),
    modelled: kinds.flatMap((kind) => ('create' in kind && kind.isModelled ? [kind.create[0]] : [])),
    fills: kinds.flatMap((kind) => ('fill' in kind ? [kind.fill] : [])),
    tallies: kinds.flatMap((kind) => ('tally' in kind ? [kind.tally] : [])),
    made: kinds.flatMap((kind) => ('made' in kind ? [kind.made] : [])),
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

type Statement =
  | { create: readonly [string, string]; isModelled: boolean }
  | { fill: Fill }
  | { tally: Tally }
  | { made: string };

function parseStatement(name: string, statement: string): Statement {
  const sql = withoutComments(statement);
  const [, stored] = /^CREATE TABLE log\.(\w+)/.exec(sql) ?? [];
  if (stored !== undefined) return { create: [stored, sql], isModelled: /^-- filled from decisions$/m.test(statement) };
  if (/^CREATE (VIEW|MACRO) /.test(sql)) return { made: sql };
  const [, of] = /^-- add up (\w+)$/m.exec(statement) ?? [];
  if (of !== undefined) return { tally: { of, sql } };
  const [, but, types] = /^-- fill from (all but )?([\w, ]+)$/m.exec(statement) ?? [];
  const [, into] = /^INSERT INTO log\.(\w+)/.exec(sql) ?? [];
  if (types === undefined || into === undefined)
    throw new TypeError(`${name}.sql: not understood: ${sql.slice(0, 80)}`);
  const from = { types: types.split(', '), but: but !== undefined };
  return { fill: { from, into, sql, raw: /\bFROM raw\b/.test(sql) } };
}

/** Comments say why to who reads the file; a change of theirs changes no table. */
function withoutComments(statement: string): string {
  return statement
    .replaceAll(/^\s*--.*$/gm, '')
    .replaceAll(/\n{2,}/g, '\n')
    .trim();
}

function parseHeader(text: string): Pick<TableDefinition, 'meaning' | 'columns'> {
  const lines = text.slice(0, Math.max(0, text.search(/^(?!--)/m))).split('\n');
  const meaning: string[] = [];
  const columns: { name: string; meaning: string }[] = [];
  for (const line of lines) {
    const [, name, says] = /^-- {3}(\w+) {2,}(.+)$/.exec(line) ?? [];
    const last = columns.at(-1);
    if (name !== undefined && says !== undefined) columns.push({ name, meaning: says });
    else if (last !== undefined && line.startsWith('--    ')) last.meaning += ` ${line.slice(2).trim()}`;
    else if (last === undefined && line.trim() !== '--') meaning.push(line.slice(2).trim());
  }
  return { meaning: meaning.join(' ').trim(), columns };
}
