// A ledger file made or changed by an attacker: SQLite executes nothing in it, opens only regular files, and names in the file
// lead nowhere.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { evidenceStream, note, notesStream, someRollouts } from '../contract/samples.ts';
import type { Ledger } from '../ledger.ts';
import { openLedger } from '../open.ts';
import { verifyLedger } from '../verify/verify.ts';
import { checkSqlite } from './health.ts';
import { Tampering } from './testing/tamper.ts';

async function ledgerFile(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-foreign-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'ledger.db');
  const ledger = await openLedger(`sqlite:${path}`, { create: true });
  await ledger.append(evidenceStream, someRollouts(0, 6), { expect: 'any' });
  await ledger.append(notesStream, [note(0), note(1)], { expect: 'none' });
  await ledger.close();
  return path;
}

async function changed(...statements: readonly string[]): Promise<string> {
  const path = await ledgerFile();
  const tampering = new Tampering(path);
  for (const sql of statements) tampering.run(sql);
  // A view cannot have a trigger of a table.
  if (statements.some((sql) => sql.startsWith('CREATE VIEW'))) tampering.closeAsIs();
  else tampering.close();
  return path;
}

async function opened(path: string, readOnly: boolean): Promise<Ledger> {
  const ledger = await openLedger(`sqlite:${path}`, { readOnly });
  onTestFinished(() => ledger.close());
  return ledger;
}

const append = async (path: string): Promise<unknown> => {
  const ledger = await opened(path, false);
  return await ledger.append(notesStream, [note(2)], { expect: 1 });
};

const look = (path: string) => verifyLedger(`sqlite:${path}`, { blobs: null, run: null, head: null });

const endless = 'WITH RECURSIVE forever(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM forever)';

describe('definitions that would run when the ledger is read', () => {
  it.each([
    [
      'a view in place of the events',
      ['ALTER TABLE events RENAME TO hidden', 'CREATE VIEW events AS SELECT * FROM hidden WHERE position < 4'],
      'view events',
    ],
    [
      'an endless view',
      [
        'ALTER TABLE meta RENAME TO hidden',
        `CREATE VIEW meta AS ${endless} SELECT 'ledger' AS key, max(x) AS value FROM forever`,
      ],
      'view meta',
    ],
    ['an additional view', ['CREATE VIEW more AS SELECT 1'], 'view more'],
    ['a virtual table', ['CREATE VIRTUAL TABLE more USING fts5(x)'], 'table more'],
    [
      'a computed column',
      ['ALTER TABLE events ADD COLUMN more TEXT GENERATED ALWAYS AS (printf("%.*c", 1000, "x")) VIRTUAL'],
      'table events',
    ],
    [
      'names that are not unique',
      [
        'CREATE TABLE other (stream INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT',
        'INSERT INTO other SELECT * FROM streams',
        'DROP TABLE streams',
        'ALTER TABLE other RENAME TO streams',
      ],
      'table streams',
    ],
  ])('is refused: %s', async (_, statements, where) => {
    const path = await changed(...statements.map((sql) => sql.replaceAll('"', "'")));
    const refused = { name: 'ForeignLayout', kind: 'damaged', message: expect.stringContaining(where) };
    await expect(opened(path, true)).rejects.toMatchObject(refused);
    await expect(look(path)).rejects.toMatchObject(refused);
    await expect(append(path)).rejects.toMatchObject(refused);
    expect(await checkSqlite(path)).toContainEqual(expect.objectContaining({ name: 'ledger', status: 'failed' }));
  });
});

describe('definitions that would run on an append', () => {
  it.each([
    [
      'a rewriting trigger',
      ["CREATE TRIGGER forging AFTER INSERT ON events BEGIN UPDATE streams SET name = 'x'; END"],
      'trigger forging',
    ],
    [
      'a trigger with a name that looks like one of SQLite',
      [
        'CREATE TRIGGER forging AFTER INSERT ON events BEGIN SELECT 1; END',
        'PRAGMA writable_schema = ON',
        `UPDATE sqlite_schema SET name = 'sqlite_autoindex_forging',
           sql = replace(sql, 'forging', 'sqlite_autoindex_forging') WHERE name = 'forging'`,
      ],
      'trigger sqlite_autoindex_forging',
    ],
    ['an index with an expression', ['CREATE INDEX more ON events (length(body))'], 'index more'],
    ['a missing index', ['DROP INDEX events_by_id'], 'index events_by_id'],
  ])('are refused there, and a fault when reading: %s', async (_, statements, where) => {
    const path = await changed(...statements);
    await expect(append(path)).rejects.toMatchObject({
      name: 'ForeignLayout',
      message: expect.stringContaining(where),
    });
    const { findings } = await look(path);
    expect(findings.map(({ kind, where: place }) => `${kind} ${place}`)).toContain(`store ${where}`);
  });

  it('do not include statistics of SQLite', async () => {
    const path = await changed('ANALYZE');
    expect(await append(path)).toMatchObject({ revision: 2 });
    expect(await look(path)).toMatchObject({ faults: 0 });
  });
});

describe('a ledger id that is a path', () => {
  it.each(['../../../../tmp/elsewhere', '/etc', '', 'a\u001b[2J', 'x'.repeat(200)])(
    'is refused: %j',
    async (identity) => {
      const path = await ledgerFile();
      const tampering = new Tampering(path);
      tampering.run("UPDATE meta SET value = ? WHERE key = 'ledger'", identity);
      tampering.close();
      await expect(opened(path, true)).rejects.toMatchObject({ name: 'DamagedLedger', kind: 'damaged' });
    },
  );
});

/** Creates another object than a regular file at a path. */
const makers: readonly [kind: string, make: (path: string) => void][] = [
  ['a FIFO', (path) => void spawnSync('mkfifo', [path])],
  ['a folder', (path) => void mkdirSync(path)],
  ['a device', (path) => symlinkSync('/dev/zero', path)],
];

describe('another object than a regular file', () => {
  it.each(makers)('in place of the ledger is refused immediately: %s', async (kind, make) => {
    const folder = mkdtempSync(join(tmpdir(), 'icecore-foreign-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'ledger.db');
    make(path);
    const refused = { name: 'NotALedger', message: expect.stringContaining(kind) };
    await expect(opened(path, true)).rejects.toMatchObject(refused);
    await expect(openLedger(`sqlite:${path}`, { create: true })).rejects.toMatchObject(refused);
    expect(await checkSqlite(path)).toContainEqual(expect.objectContaining({ name: 'ledger', status: 'failed' }));
  });

  it.each(makers)('in place of the log or another file of SQLite next to it is refused: %s', async (_, make) => {
    for (const suffix of ['-wal', '-shm', '-journal']) {
      const path = await ledgerFile();
      make(path + suffix);
      await expect(opened(path, true)).rejects.toMatchObject({ name: 'NotALedger' });
      await expect(append(path)).rejects.toMatchObject({ name: 'NotALedger' });
      expect(await checkSqlite(path)).toContainEqual(expect.objectContaining({ name: 'ledger', status: 'failed' }));
    }
  });

  it('never makes SQLite write through a link in place of the log', async () => {
    const path = await ledgerFile();
    const victim = join(path, '..', 'victim');
    writeFileSync(victim, 'precious');
    symlinkSync(victim, `${path}-wal`);
    await expect(append(path)).rejects.toMatchObject({ name: 'NotALedger' });
    await expect(openLedger(`sqlite:${path}`, { create: true })).rejects.toMatchObject({ name: 'NotALedger' });
    expect(readFileSync(victim, 'utf8')).toBe('precious');
  });

  it('a link without a target creates no ledger there for a reader', async () => {
    const path = await ledgerFile();
    const link = join(path, '..', 'link.db');
    symlinkSync(join(path, '..', 'nowhere.db'), link);
    await expect(opened(link, true)).rejects.toMatchObject({ name: 'LedgerMissing' });
    expect(existsSync(join(path, '..', 'nowhere.db'))).toBe(false);
  });
});
