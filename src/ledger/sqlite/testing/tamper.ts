// The changes of an attacker with the file and SQLite who wants to rewrite history: the triggers do not prevent them, and are
// restored afterwards.
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

  /** Moves every body into the row of its event, where it can be rewritten separately; a ledger without packs is valid too. */
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

  /** Replaces the bytes of an event, with the old digest or a matching one. */
  rewrite(position: number, body: Buffer, digest: Uint8Array): void {
    this.run('UPDATE events SET body = CAST(? AS TEXT), digest = ? WHERE position = ?', body, digest, position);
  }

  /** Omits the triggers. */
  closeAsIs(): void {
    this.#db.close();
  }

  close(): void {
    for (const trigger of this.#triggers) this.#db.exec(trigger);
    this.#db.close();
  }
}
