import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collect } from '../contract/fixture.ts';
import { evidenceStream, note, notesStream, someRollouts } from '../contract/samples.ts';
import type { Ledger, StoreFault } from '../ledger.ts';
import { openLedger } from '../open.ts';
import { migrate } from './connection.ts';
import { makeOldFormat } from './testing/old-format.ts';

let folder = '';
let path = '';

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'icecore-migrate-'));
  path = join(folder, 'ledger.db');
  const ledger = await openLedger(`sqlite:${path}`, { create: true });
  await ledger.append(evidenceStream, someRollouts(0, 20), { expect: 'any' });
  await ledger.close();
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function look<Row>(file: string, sql: string): Row {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return db.prepare(sql).get() as Row;
  } finally {
    db.close();
  }
}

const formatOf = (file: string): number => look<{ user_version: number }>(file, 'PRAGMA user_version').user_version;

describe('a ledger of the first format', () => {
  let old = '';

  beforeEach(() => {
    old = join(folder, 'old.db');
    makeOldFormat(1, path, old);
  });

  it('is read unchanged, and gets a table for packs when it is opened for writing', async () => {
    const reading = await openLedger(`sqlite:${old}`, { readOnly: true });
    const before = await collect(reading.readAll());
    expect(await faultsIn(reading)).toEqual([]);
    await reading.close();
    expect([before.length, formatOf(old)]).toEqual([20, 1]);
    const writing = await openLedger(`sqlite:${old}`);
    await writing.append(evidenceStream, someRollouts(20, 40), { expect: 'any' });
    expect((await collect(writing.readAll())).slice(0, 20).map(({ body }) => body)).toEqual(
      before.map(({ body }) => body),
    );
    expect(await faultsIn(writing)).toEqual([]);
    await writing.close();
    expect([formatOf(old), look(old, 'SELECT first, last FROM packs')]).toEqual([2, { first: 21, last: 60 }]);
  });

  it('is backed up before it is migrated', async () => {
    await migrate(old);
    const backup = `${old}.format-1.backup`;
    expect([formatOf(old), formatOf(backup)]).toEqual([2, 1]);
    const before = await openLedger(`sqlite:${backup}`, { readOnly: true });
    expect(await collect(before.readAll())).toHaveLength(20);
    await before.close();
    expect(existsSync(`${backup}.part`)).toBe(false);
  });

  it('does not change if the backup fails, and the next try succeeds', async () => {
    const obstacle = `${old}.format-1.backup.part`;
    mkdirSync(obstacle);
    await expect(migrate(old)).rejects.toThrow();
    expect(formatOf(old)).toBe(1);
    rmSync(obstacle, { recursive: true });
    await migrate(old);
    expect(formatOf(old)).toBe(2);
  });

  it('keeps the backup of an earlier try', async () => {
    const earlier = `${old}.format-1.backup`;
    copyFileSync(path, earlier);
    await migrate(old);
    expect([formatOf(earlier), formatOf(`${earlier}-2`)]).toEqual([3, 1]);
  });

  it('is migrated once by two concurrent processes', async () => {
    await Promise.all([migrate(old), migrate(old)]);
    expect([formatOf(old), existsSync(`${old}.format-1.backup-2`)]).toEqual([2, false]);
  });
});

describe('a ledger that a newer icecore migrates', () => {
  it('refuses appends of a writer that had it open before', async () => {
    const writer = await openLedger(`sqlite:${path}`);
    await writer.append(notesStream, [note(0)], { expect: 'any' });
    const newer = new DatabaseSync(path);
    newer.exec('PRAGMA user_version = 4');
    newer.close();
    await expect(writer.append(notesStream, [note(1)], { expect: 'any' })).rejects.toMatchObject({
      name: 'NewerLedger',
      kind: 'newer-format',
      facts: { found: 4, understood: 3 },
    });
    await writer.close();
    expect(look(path, 'SELECT count(*) AS n FROM events')).toEqual({ n: 21 });
  });
});

async function faultsIn(ledger: Ledger): Promise<StoreFault[]> {
  const faults: StoreFault[] = [];
  for await (const fault of ledger.audit({ wholly: true })) faults.push(fault);
  return faults;
}

describe('migration does not change', () => {
  it('a ledger of the current format, or another file', async () => {
    await migrate(path);
    const foreign = join(folder, 'foreign.db');
    const db = new DatabaseSync(foreign);
    db.exec('CREATE TABLE t (x); PRAGMA user_version = 1');
    db.close();
    await migrate(foreign);
    await migrate(join(folder, 'nothing.db'));
    expect([formatOf(path), formatOf(foreign)]).toEqual([3, 1]);
    expect(existsSync(`${path}.format-1.backup`)).toBe(false);
  });
});
