import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collect } from '../contract/fixture.ts';
import { evidenceStream, note, notesStream, someRollouts } from '../contract/samples.ts';
import type { Ledger } from '../ledger.ts';
import { openLedger } from '../open.ts';
import { indexes } from './layout.ts';
import { idBetween } from './random-ids.ts';

let folder = '';
let path = '';
const opened: Ledger[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'icecore-file-'));
  path = join(folder, 'ledger.db');
});

afterEach(async () => {
  for (const ledger of opened.splice(0)) await ledger.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(options = {}, file = path): Promise<Ledger> {
  const ledger = await openLedger(`sqlite:${file}`, options);
  opened.push(ledger);
  return ledger;
}

function tamper(sql: string): void {
  const db = new DatabaseSync(path);
  try {
    db.exec(sql);
  } finally {
    db.close();
  }
}

describe('opening', () => {
  it('a missing file is LedgerMissing, and creates nothing', async () => {
    await expect(open()).rejects.toMatchObject({ name: 'LedgerMissing', kind: 'not-found' });
    await expect(open({ readOnly: true })).rejects.toMatchObject({ name: 'LedgerMissing' });
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['a text', 'this is not a database, not at all, it is a text that is long enough to have a header of its own'],
    ['an empty file', ''],
    ['a few bytes', '\u0000\u0001\u0002'],
  ])('%s is NotALedger, and does not change it', async (_, content) => {
    writeFileSync(path, content);
    await expect(open()).rejects.toMatchObject({ name: 'NotALedger', kind: 'damaged' });
    expect(readdirSync(folder)).toEqual(['ledger.db']);
  });

  it('a database of another program is NotALedger, even if a ledger may be created', async () => {
    tamper('CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)');
    await expect(open()).rejects.toMatchObject({
      name: 'NotALedger',
      message: expect.stringMatching(/another program/),
    });
    await expect(open({ create: true })).rejects.toMatchObject({ name: 'NotALedger' });
    const db = new DatabaseSync(path);
    expect(db.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'delete' });
    db.close();
  });

  it('a ledger of a newer icecore is NewerLedger', async () => {
    await open({ create: true });
    tamper('PRAGMA user_version = 99');
    await expect(open()).rejects.toMatchObject({ name: 'NewerLedger', facts: { found: 99 } });
  });

  it('a partly created ledger completes it', async () => {
    writeFileSync(path, '');
    tamper('PRAGMA page_size = 8192; PRAGMA journal_mode = WAL');
    await expect(open()).rejects.toMatchObject({ name: 'NotALedger' });
    const ledger = await open({ create: true });
    await ledger.append(notesStream, [note(0)], { expect: 'none' });
    expect(await ledger.head()).toMatchObject({ events: 1 });
  });

  it('concurrently creates one ledger', async () => {
    const ledgers = await Promise.all(Array.from({ length: 5 }, () => open({ create: true })));
    expect(new Set(ledgers.map((ledger) => ledger.id)).size).toBe(1);
  });

  it('read-only creates nothing, whatever the other options are', async () => {
    await expect(open({ readOnly: true, create: true })).rejects.toMatchObject({ name: 'LedgerMissing' });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('read-only refuses appends', async () => {
    const writer = await open({ create: true });
    await writer.append(notesStream, [note(0)], { expect: 'any' });
    const reader = await open({ readOnly: true });
    expect(await collect(reader.readAll())).toHaveLength(1);
    await expect(reader.append(notesStream, [note(1)], { expect: 'any' })).rejects.toMatchObject({
      name: 'UnsupportedByStore',
    });
  });
});

describe('the file', () => {
  it.each(['events', 'streams', 'types', 'meta'])(
    'refuses UPDATE and DELETE of %s through any connection',
    async (table) => {
      const ledger = await open({ create: true });
      await ledger.append(evidenceStream, someRollouts(0, 3), { expect: 'any' });
      expect(() => tamper(`DELETE FROM ${table}`)).toThrow(/append-only: DELETE/);
      const column = { events: 'body', streams: 'name', types: 'name', meta: 'value' }[table];
      expect(() => tamper(`UPDATE ${table} SET ${column} = 'x'`)).toThrow(/append-only: UPDATE/);
      expect(await collect(ledger.readAll())).toHaveLength(3);
    },
  );

  it('uses an index for every query of the store', async () => {
    const ledger = await open({ create: true });
    await ledger.append(evidenceStream, someRollouts(0, 3), { expect: 'any' });
    const db = new DatabaseSync(path, { readOnly: true });
    const plan = (sql: string): string =>
      db
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map((row) => String(row['detail']))
        .join('; ');
    expect(plan('SELECT * FROM events WHERE stream = 1 AND revision BETWEEN 1 AND 2 ORDER BY revision')).toMatch(
      /^SEARCH events USING INDEX events_by_stream/,
    );
    expect(plan('SELECT * FROM events WHERE type = 1 AND position > 5 AND position < 9 ORDER BY position')).toMatch(
      /^SEARCH events USING INDEX events_by_type/,
    );
    expect(plan('SELECT max(revision) FROM events WHERE stream = 1')).toMatch(/USING COVERING INDEX events_by_stream/);
    const found = plan(`SELECT * FROM events WHERE ${idBetween} ORDER BY id`);
    expect(found).toMatch(/INDEX events_by_id.*random_ids_0 USING.*random_ids_1 USING.*random_ids_2 USING/);
    expect(found).not.toMatch(/SCAN/);
    db.close();
    expect(indexes.match(/CREATE/g)).toHaveLength(3);
  });

  it.each([1, 300])(
    'left by another tool with another journal mode is changed back to WAL before %i events are stored',
    async (count) => {
      await (await open({ create: true })).close();
      tamper('PRAGMA journal_mode = DELETE');
      const reader = await open();
      const ledger = await open();
      const reading = (async () => {
        for (let i = 0; i < 30; i++) await collect(reader.readAll());
      })();
      await ledger.append(evidenceStream, someRollouts(0, count), { expect: 'any' });
      await reading;
      expect(await reader.head()).toMatchObject({ events: count });
    },
  );

  it.each([1, 300])('replaced by another ledger before the first append accepts none of %i events', async (count) => {
    const ledger = await open({ create: true });
    const other = await open({ create: true }, join(folder, 'other.db'));
    await other.close();
    renameSync(join(folder, 'other.db'), path);
    await expect(ledger.append(evidenceStream, someRollouts(0, count), { expect: 'any' })).rejects.toMatchObject({
      name: 'StorageFailed',
      message: expect.stringMatching(/moved, removed or replaced/),
    });
    expect(await (await open()).head()).toMatchObject({ events: 0 });
  });

  it.each([1, 300])('removed before the first append of %i events is not created again', async (count) => {
    const ledger = await open({ create: true });
    renameSync(path, `${path}.moved`);
    await expect(ledger.append(evidenceStream, someRollouts(0, count), { expect: 'any' })).rejects.toMatchObject({
      name: 'StorageFailed',
    });
    expect(readdirSync(folder)).not.toContain('ledger.db');
  });

  it('replaced while it is followed ends the subscription with the reason', async () => {
    const ledger = await open({ create: true });
    const follow = async (): Promise<void> => {
      for await (const delivery of ledger.subscribe()) {
        if (delivery.kind === 'caught-up') renameSync(path, `${path}.moved`);
      }
    };
    await expect(follow()).rejects.toMatchObject({ name: 'StorageFailed' });
  });

  it('that is moved while it is open accepts no more appends', async () => {
    const ledger = await open({ create: true });
    await ledger.append(notesStream, [note(0)], { expect: 'any' });
    renameSync(path, `${path}.moved`);
    const deadline = performance.now() + 20_000;
    const refused = async (): Promise<unknown> => {
      for (let i = 1; performance.now() < deadline; i++) {
        try {
          await ledger.append(notesStream, [note(i)], { expect: 'any' });
        } catch (error) {
          return error;
        }
      }
      return 'it was never noticed';
    };
    expect(await refused()).toMatchObject({ name: 'StorageFailed', message: expect.stringMatching(/moved, removed/) });
  });
});
