// Whether a file is laid out as this icecore lays a ledger out, and as nothing more: a view in the place of a table, a
// trigger that rewrites, a table without its keys would show readers what was never recorded.
import { DatabaseSync } from 'node:sqlite';
import { ForeignLayout } from '../errors.ts';
import type { StoreFault } from '../ledger.ts';
import { definition, firstDefinition, readPragma } from './layout.ts';

/** By kind and name, the SQL that defines it. */
type Objects = ReadonlyMap<string, string>;

/** Throws ForeignLayout where SQLite would run what somebody else put into the file. */
export function requireHarmless(db: DatabaseSync, path: string, access: 'read' | 'write' | 'try'): void {
  const [found, format] = [objectsOf(db), readPragma(db, 'user_version')];
  // Triggers and indexes run where something is written; what is read are tables, or what stands in their place.
  const strange = [...differences(found, format)].filter(
    ({ where, isMissing }) => access === 'write' || (!isMissing && isRead(where, found, format)),
  );
  if (strange.length === 0) return;
  throw new ForeignLayout(
    path,
    strange
      .slice(0, 3)
      .map(({ where, what }) => `${where}: ${what}`)
      .join('; '),
  );
}

function isRead(name: string, found: Objects, format: number): boolean {
  if (/^(?:index|trigger) /.test(name)) return false;
  return asMade(format).has(name) || !/^CREATE TABLE /i.test(found.get(name) ?? '');
}

/** What is missing, changed or too much in the file's own definition. */
export function* strangeObjects(db: DatabaseSync): Generator<StoreFault> {
  for (const { where, what } of differences(objectsOf(db), readPragma(db, 'user_version'))) yield { where, what };
}

function* differences(found: Objects, format: number): Generator<StoreFault & { readonly isMissing: boolean }> {
  const wanted = asMade(format);
  for (const [name, sql] of wanted) {
    const there = found.get(name);
    if (there === undefined) yield { where: name, what: 'it is missing from the file', isMissing: true };
    else if (there !== sql) yield { where: name, what: 'it is not defined as in a ledger', isMissing: false };
  }
  for (const name of found.keys())
    if (!wanted.has(name)) yield { where: name, what: 'it does not belong in a ledger', isMissing: false };
}

const made = new Map<string, Objects>();

function asMade(format: number): Objects {
  const sql = format === 1 ? firstDefinition : definition;
  const known = made.get(sql);
  if (known !== undefined) return known;
  const db = new DatabaseSync(':memory:');
  db.exec(sql);
  const objects = objectsOf(db);
  db.close();
  made.set(sql, objects);
  return objects;
}

/** The statistics that SQLite keeps for itself are nobody's business, nor are the indexes of keys, which have no definition. */
const ownOfSqlite = [
  'CREATE TABLE sqlite_stat1(tbl,idx,stat)',
  'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)',
];

/** A name that is there twice is defined by all that it has. */
function objectsOf(db: DatabaseSync): Objects {
  const found = new Map<string, string>();
  for (const { type, name, sql } of db.prepare('SELECT type, name, sql FROM sqlite_schema').all()) {
    if (ownOfSqlite.includes(String(sql))) continue;
    if (sql === null && type === 'index' && String(name).startsWith('sqlite_autoindex_')) continue;
    const key = `${type} ${name}`;
    const before = found.get(key);
    found.set(key, before === undefined ? String(sql) : `${before}; ${sql}`);
  }
  return found;
}
