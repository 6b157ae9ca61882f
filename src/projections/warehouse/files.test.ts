// Whatever is in place of the tables, tables are built, with a note about the reason and without a question.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, it } from 'vitest';
import type { Ledger } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';
import { catchUp } from '../projector/catching-up.ts';
import { rowsOf } from '../projector/layout.ts';
import { project } from '../projector/projector.ts';
import { filledPlace, variedPlace } from '../testing/place.ts';
import { writeRollouts } from '../testing/varied.ts';
import { isBroken, storageFault } from './errors.ts';
import { fillingIn, hold } from './holding.ts';
import { buildingPath, generationPath, removeLeftovers, stagingFolder } from './place.ts';

async function change(path: string, ...statements: readonly string[]): Promise<void> {
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  for (const statement of statements) await connection.run(statement);
  connection.closeSync();
  instance.closeSync();
}

function cut(path: string, share: number): void {
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.subarray(0, Math.floor(bytes.length * share)));
}

function spoil(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ 16;
  writeFileSync(path, bytes);
}

type Spoiling = (path: string) => void | Promise<void>;

const spoilt: readonly (readonly [string, RegExp, Spoiling])[] = [
  ['an empty file', /not a valid DuckDB database file/, (path) => writeFileSync(path, '')],
  ['a text', /not a valid DuckDB database file/, (path) => writeFileSync(path, 'Remember the milk.\n'.repeat(1000))],
  [
    'a database of SQLite',
    /external extensions is disabled/,
    (path) => writeFileSync(path, Buffer.from('SQLite format 3\0'.padEnd(8192, '\0'))),
  ],
  ['half of it', /Could not read|read enough bytes|checksum|metadata/i, (path) => cut(path, 0.5)],
  ['the beginning of its header', /./, (path) => cut(path, 0.0001)],
  ['a file with a damaged header', /checksum/, (path) => spoil(path, 20)],
  [
    'a foreign database',
    /of another ledger or another version of icecore/,
    async (path) => {
      rmSync(path);
      await change(path, 'CREATE SCHEMA log', 'CREATE TABLE log.meta (says VARCHAR)', 'CREATE TABLE mine (x INTEGER)');
    },
  ],
  [
    'one of a newer icecore',
    /another version of icecore/,
    (path) => change(path, 'UPDATE log.meta SET format = format + 1'),
  ],
  ['one of another ledger', /another ledger/, (path) => change(path, "UPDATE log.meta SET ledger = 'another'")],
  ['one with a dropped table', /rollouts/, (path) => change(path, 'DROP TABLE log.rollouts')],
];

describe('a foreign file in place of the tables', () => {
  it('is distinguished from tables, with the reason', async () => {
    const { ledger, path } = await filledPlace();
    const whole = readFileSync(path);
    await writeRollouts(ledger, 9000, 1);
    for (const [what, reason, spoiling] of spoilt) {
      for (const file of [path, `${path}.wal`]) rmSync(file, { force: true });
      writeFileSync(path, whole);
      await spoiling(path);
      const fault = await faultOf(ledger, path);
      expect(isBroken(fault), what).toBe(true);
      expect((fault as Error).message, what).toMatch(reason);
    }
  });

  it('is replaced by tables, with the reason', async () => {
    const { ledger, tables } = await variedPlace();
    mkdirSync(tables);
    writeFileSync(generationPath(tables, 1), 'Remember the milk.');
    writeFileSync(buildingPath(tables, 2), 'And the bread.');
    const { path, built } = await project(ledger, tables);
    expect(built).toBe('their file was made in another folder (was the workspace copied or moved?)');
    expect(await eventsIn(path)).toBe((await ledger.head()).events);
    expect(readdirSync(tables)).toEqual(['settings.json', basename(path), `${basename(path)}.at`]);
  });

  it('a restored ledger with a different history is not taken for the projected one', async () => {
    const { folder, ledger, tables } = await filledPlace();
    const backup = join(folder, 'backup.db');
    await ledger.close();
    copyFileSync(join(folder, 'ledger.db'), backup);
    const gone = await openLedger(`sqlite:${join(folder, 'ledger.db')}`);
    await writeRollouts(gone, 9000, 3);
    await project(gone, tables);
    await gone.close();
    copyFileSync(backup, join(folder, 'ledger.db'));
    const back = await openLedger(`sqlite:${join(folder, 'ledger.db')}`);
    const shorter = await project(back, tables);
    expect(shorter.built).toBe('they contain events that the ledger does not have');
    await writeRollouts(back, 9100, 3);
    await back.close();
    const again = await openLedger(`sqlite:${join(folder, 'ledger.db')}`, { readOnly: true });
    const { path, built } = await project(again, tables);
    expect(built).toBeNull();
    expect(await eventsIn(path)).toBe((await again.head()).events);
    await again.close();
  });
});

describe('a file that DuckDB cannot read or write', () => {
  const path = '/tables/1.duckdb';
  const refused = (says: string) => new Error(`IO Error: Could not read from file "${path}": ${says}`);

  it.each([
    ['read', refused('Input/output error'), 'TablesUnreachable', /Try again/],
    ['opened', new Error(`IO Error: Cannot open file "${path}": Too many open files`), 'TablesUnreachable', /ulimit/],
    [
      'found in time',
      new Error(`IO Error: Could not fsync file "${path}": Connection timed out`),
      'TablesUnreachable',
      /disk/,
    ],
    [
      'written',
      new Error(`IO Error: Could not write file "${path}": No space left on device`),
      'TablesUnwritable',
      /space/,
    ],
    [
      'opened by this person',
      new Error(`IO Error: Cannot open file "${path}": Permission denied`),
      'TablesUnwritable',
      /permission/,
    ],
  ])('is left alone if the system says that it cannot be %s', (_, error, name, remedy) => {
    expect(isBroken(error)).toBe(false);
    expect(storageFault(path, error)).toMatchObject({ name, kind: 'storage', remedy: expect.stringMatching(remedy) });
  });

  it.each([
    `IO Error: Corrupt database file: computed checksum 1 does not match stored checksum 2 in block at location 3`,
    `IO Error: The file "${path}" exists, but it is not a valid DuckDB database file!`,
    `IO Error: Could not read enough bytes from file "${path}": attempted to read 4096 bytes from location 0`,
    `IO Error: Trying to read a database file with version number 99, but we can only read versions between 64 and 68.`,
    `IO Error: WAL does not match database file.`,
    `Serialization Error: Failed to deserialize: field id mismatch`,
    `IO Error: Cannot open file "${path}": No such file or directory`,
  ])('is reported as broken: %s', (says) => {
    expect(isBroken(new Error(says))).toBe(true);
    expect(storageFault(path, new Error(says))).toBeNull();
  });
});

/** The result of an update. */
async function faultOf(ledger: Ledger, path: string): Promise<unknown> {
  try {
    const held = await hold(path, fillingIn(path));
    try {
      await catchUp(await held.connect(), { source: ledger, path, folder: stagingFolder(path) });
    } finally {
      removeLeftovers(path);
      held.release();
    }
  } catch (error) {
    return error;
  }
  return null;
}

async function eventsIn(path: string): Promise<number> {
  const held = await hold(path, { access_mode: 'READ_ONLY' });
  const [row] = await rowsOf(await held.connect(), 'SELECT count(*) AS events FROM events');
  held.release();
  return Number(row?.['events']);
}
