// What somebody does who has the file and SQLite, and means to rewrite history: the triggers are no hindrance to them, and
// are there again when they are done.
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { inPack, PackReader } from '../packs.ts';

export class Tampering {
  readonly #db: DatabaseSync;
  readonly #triggers: readonly string[];

  constructor(path: string, packs: 'unpacked' | 'as-they-are' = 'unpacked') {
    this.#db = new DatabaseSync(path, { defensive: false, enableForeignKeyConstraints: false });
    const triggers = this.#db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all();
    this.#triggers = triggers.map(({ sql }) => String(sql));
    for (const { name } of triggers) this.#db.exec(`DROP TRIGGER ${name}`);
    if (packs === 'unpacked') this.#unpack();
  }

  /** Every body in the row of its event, where it can be rewritten by itself: a ledger without packs is one as well. */
  #unpack(): void {
    const packs = new PackReader(this.#db);
    const rows = this.#db
      .prepare('SELECT position, lower(hex(digest)) AS digest FROM events WHERE body = ?')
      .all(inPack);
    const fill = this.#db.prepare('UPDATE events SET body = ? WHERE position = ?');
    for (const { position, digest } of rows) fill.run(packs.bodyAt(Number(position), String(digest)), Number(position));
    this.#db.exec('DELETE FROM packs');
  }

  run(sql: string, ...parameters: SQLInputValue[]): void {
    this.#db.prepare(sql).run(...parameters);
  }

  bodies(): readonly { readonly position: number; readonly body: Buffer; readonly digest: Uint8Array }[] {
    const rows = this.#db.prepare('SELECT position, CAST(body AS BLOB) AS body, digest FROM events ORDER BY position');
    return rows.all().map(({ position, body, digest }) => ({
      position: Number(position),
      body: Buffer.from(body as Uint8Array),
      digest: digest as Uint8Array,
    }));
  }

  /** Puts other bytes in the place of an event's, with a digest as it was or one that fits them. */
  rewrite(position: number, body: Buffer, digest: Uint8Array): void {
    this.run('UPDATE events SET body = CAST(? AS TEXT), digest = ? WHERE position = ?', body, digest, position);
  }

  /** Leaves the triggers away. */
  closeAsIs(): void {
    this.#db.close();
  }

  close(): void {
    for (const trigger of this.#triggers) this.#db.exec(trigger);
    this.#db.close();
  }
}
