// Where the ids of one stream lie, while a page is taken into the index: as long as those of a family rise, a zone says from
// which revision to which they do. Whatever does not fit is written down by itself, and from then on all of its family, so
// that an id that lies between others is not looked for where it never was.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { familyOf } from '../../remote/families.ts';

interface Zone {
  readonly low: string;
  high: string;
  readonly from: number;
  to: number;
}

interface Family {
  readonly name: string;
  high: string;
  /** Null where its ids are written down by themselves, or none was yet. */
  zone: Zone | null;
  isMixed: boolean;
}

/** What is sought in a zone is read from its beginning to its end. */
const longest = 4096;

interface Statements {
  readonly family: StatementSync;
  readonly keepFamily: StatementSync;
  readonly keepZone: StatementSync;
  readonly keepId: StatementSync;
}

const prepared = new WeakMap<DatabaseSync, Statements>();

function statementsOf(db: DatabaseSync): Statements {
  const known = prepared.get(db);
  if (known !== undefined) return known;
  const statements = {
    family: db.prepare(
      `SELECT families.high AS high, mixed, low, zones.high AS zoneHigh, first_revision AS "from", last_revision AS "to"
         FROM families LEFT JOIN zones USING (stream, low) WHERE stream = ? AND family = ?`,
    ),
    keepFamily: db.prepare('INSERT OR REPLACE INTO families (stream, family, high, low, mixed) VALUES (?, ?, ?, ?, ?)'),
    keepZone: db.prepare(
      'INSERT OR REPLACE INTO zones (stream, low, high, first_revision, last_revision) VALUES (?, ?, ?, ?, ?)',
    ),
    keepId: db.prepare('INSERT OR IGNORE INTO ids (id, stream, revision) VALUES (?, ?, ?)'),
  };
  prepared.set(db, statements);
  return statements;
}

export class ZoneKeeper {
  readonly #statements: Statements;
  readonly #stream: number;
  readonly #changed = new Map<string, Family>();

  constructor(db: DatabaseSync, stream: number) {
    this.#statements = statementsOf(db);
    this.#stream = stream;
  }

  add(id: string, revision: number): void {
    const name = familyOf(id);
    const family = name === null ? null : (this.#changed.get(name) ?? this.#lookUp(name));
    if (family === null) {
      this.#statements.keepId.run(id, this.#stream, revision);
      return;
    }
    this.#changed.set(family.name, family);
    family.isMixed ||= id <= family.high;
    if (id > family.high) family.high = id;
    if (family.isMixed) this.#statements.keepId.run(id, this.#stream, revision);
    else this.#extend(family, id, revision);
  }

  /** Writes what is not written yet. */
  keep(): void {
    for (const { name, high, zone, isMixed } of this.#changed.values()) {
      this.#write(zone);
      this.#statements.keepFamily.run(this.#stream, name, high, zone?.low ?? null, Number(isMixed));
    }
  }

  #extend(family: Family, id: string, revision: number): void {
    const { zone } = family;
    if (zone === null || revision - zone.from >= longest) {
      this.#write(zone);
      family.zone = { low: id, high: id, from: revision, to: revision };
    } else {
      zone.high = id;
      zone.to = revision;
    }
  }

  #write(zone: Zone | null): void {
    if (zone !== null) this.#statements.keepZone.run(this.#stream, zone.low, zone.high, zone.from, zone.to);
  }

  #lookUp(name: string): Family {
    const row = this.#statements.family.get(this.#stream, name);
    if (row === undefined) return { name, high: '', zone: null, isMixed: false };
    const { high, mixed, low, zoneHigh, from, to } = row;
    const zone = low === null ? null : { low: String(low), high: String(zoneHigh), from: Number(from), to: Number(to) };
    return { name, high: String(high), zone, isMixed: mixed === 1 };
  }
}
