// Whether a file is laid out as this icecore lays a ledger out, and as nothing more: a view in the place of a table, a
// trigger that rewrites, a table without its keys would show readers what was never recorded.
import { DatabaseSync } from 'node:sqlite';
import type { StoreFault } from '../ledger.ts';
import { definition } from './layout.ts';

type Objects = ReadonlyMap<string, string>;

/** What is missing, changed or too much in the file's own definition. */
export function* strangeObjects(db: DatabaseSync): Generator<StoreFault> {
  const [wanted, found] = [asMade(), objectsOf(db)];
  for (const [name, sql] of wanted) {
    const there = found.get(name);
    if (there === undefined) yield { where: name, what: 'it is missing from the file' };
    else if (there !== sql) yield { where: name, what: 'it is not defined as in a ledger' };
  }
  for (const name of found.keys())
    if (!wanted.has(name)) yield { where: name, what: 'it does not belong into a ledger' };
}

let made: Objects | undefined;

function asMade(): Objects {
  if (made === undefined) {
    const db = new DatabaseSync(':memory:');
    db.exec(definition);
    made = objectsOf(db);
    db.close();
  }
  return made;
}

/** By kind and name. SQLite's own tables, like the statistics it keeps for itself, are nobody's business. */
function objectsOf(db: DatabaseSync): Objects {
  const rows = db
    .prepare("SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
    .all();
  return new Map(rows.map(({ type, name, sql }) => [`${type} ${name}`, String(sql)]));
}
