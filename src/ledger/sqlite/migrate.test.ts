import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collect } from '../contract/fixture.ts';
import { evidenceStream, note, notesStream, someRollouts } from '../contract/samples.ts';
import type { Ledger, StoreFault } from '../ledger.ts';
import { openLedger } from '../open.ts';
import { type MigrationStep, migrate } from './connection.ts';
import { applicationId, firstDefinition } from './layout.ts';

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

const steps: readonly MigrationStep[] = [
  { from: 2, sql: 'ALTER TABLE streams ADD COLUMN note TEXT' },
  { from: 3, sql: 'CREATE INDEX events_by_time ON events (recorded_at)' },
];

function look<Row>(file: string, sql: string): Row {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return db.prepare(sql).get() as Row;
  } finally {
    db.close();
  }
}

const formatOf = (file: string): number => look<{ user_version: number }>(file, 'PRAGMA user_version').user_version;

describe('a ledger of an older format', () => {
  it('is migrated step by step, after a backup', async () => {
    await migrate(path, 4, steps);
    expect(formatOf(path)).toBe(4);
    expect(look(path, "SELECT count(*) AS n FROM pragma_index_list('events') WHERE name = 'events_by_time'")).toEqual({
      n: 1,
    });
    const backup = `${path}.format-2.backup`;
    expect(formatOf(backup)).toBe(2);
    const before = await openLedger(`sqlite:${backup}`, { readOnly: true });
    expect(await collect(before.readAll())).toHaveLength(20);
    await before.close();
    expect(existsSync(`${backup}.part`)).toBe(false);
  });

  it('does not change if a step fails, and the next try succeeds', async () => {
    const failing = [steps[0] as MigrationStep, { from: 3, sql: 'CREATE TABLE events (x)' }];
    await expect(migrate(path, 4, failing)).rejects.toThrow(/already exists/);
    expect(formatOf(path)).toBe(2);
    const writer = await openLedger(`sqlite:${path}`);
    await writer.append(notesStream, [note(0)], { expect: 'any' });
    await writer.close();
    await migrate(path, 4, steps);
    expect(formatOf(path)).toBe(4);
    expect(look(`${path}.format-2.backup-2`, 'SELECT count(*) AS n FROM events')).toEqual({ n: 21 });
  });

  it('is left alone if there is no step to the new format', async () => {
    await expect(migrate(path, 4, steps.slice(0, 1))).rejects.toMatchObject({ name: 'NewerLedger' });
    expect(formatOf(path)).toBe(2);
  });

  it('is migrated once by two concurrent processes', async () => {
    await Promise.all([migrate(path, 4, steps), migrate(path, 4, steps)]);
    expect(formatOf(path)).toBe(4);
  });

  it('refuses appends of a writer that had it open before', async () => {
    const writer = await openLedger(`sqlite:${path}`);
    await writer.append(notesStream, [note(0)], { expect: 'any' });
    await migrate(path, 4, steps);
    await expect(writer.append(notesStream, [note(1)], { expect: 'any' })).rejects.toMatchObject({
      name: 'NewerLedger',
      kind: 'newer-format',
      facts: { found: 4, understood: 2 },
    });
    await writer.close();
    expect(look(path, 'SELECT count(*) AS n FROM events')).toEqual({ n: 21 });
  });
});

describe('a ledger of the first format', () => {
  it('is read unchanged, and gets a table for packs when it is opened for writing', async () => {
    const old = join(folder, 'old.db');
    makeFirstFormat(path, old);
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
});

async function faultsIn(ledger: Ledger): Promise<StoreFault[]> {
  const faults: StoreFault[] = [];
  for await (const fault of ledger.audit({ wholly: true })) faults.push(fault);
  return faults;
}

/** The layout of the first version of icecore: the events of another ledger, each in its own row. */
function makeFirstFormat(from: string, to: string): void {
  const db = new DatabaseSync(to);
  db.exec(
    `PRAGMA journal_mode = WAL; PRAGMA application_id = ${applicationId}; PRAGMA user_version = 1; ${firstDefinition}`,
  );
  db.prepare('ATTACH ? AS other').run(from);
  for (const table of ['meta', 'streams', 'types', 'events'])
    db.exec(`INSERT INTO ${table} SELECT * FROM other.${table}`);
  db.close();
}

describe('migration does not change', () => {
  it('a ledger of the current format, or another file', async () => {
    await migrate(path, 2, steps);
    const foreign = join(folder, 'foreign.db');
    const db = new DatabaseSync(foreign);
    db.exec('CREATE TABLE t (x)');
    db.close();
    await migrate(foreign, 4, steps);
    await migrate(join(folder, 'nothing.db'), 4, steps);
    expect([formatOf(path), formatOf(foreign)]).toEqual([2, 0]);
    expect(existsSync(`${path}.format-2.backup`)).toBe(false);
  });
});
