import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openLedger } from '../open.ts';
import { checkSqlite } from './health.ts';

async function emptyLedger(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-health-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'ledger.db');
  await (await openLedger(`sqlite:${path}`, { create: true })).close();
  return path;
}

describe('the checks of a ledger', () => {
  it('warn about a journal mode that another tool changed, and do not change it', async () => {
    const path = await emptyLedger();
    const db = new DatabaseSync(path);
    db.exec('PRAGMA journal_mode = DELETE');
    db.close();
    for (const checks of [await checkSqlite(path), await checkSqlite(path)]) {
      expect(checks.find(({ name }) => name === 'journal')).toMatchObject({ status: 'warning', found: 'delete' });
      expect(checks.find(({ name }) => name === 'writing')).toMatchObject({ status: 'ok', found: 'possible' });
    }
  });

  it('fail if the file has another layout than a ledger', async () => {
    const path = await emptyLedger();
    const sound = await checkSqlite(path);
    expect(sound.find(({ name }) => name === 'definition')).toMatchObject({ status: 'ok' });
    const db = new DatabaseSync(path);
    db.exec('CREATE TRIGGER forging AFTER INSERT ON events BEGIN SELECT 1; END');
    db.close();
    const checks = await checkSqlite(path);
    expect(checks.find(({ name }) => name === 'definition')).toMatchObject({
      status: 'failed',
      found: 'trigger forging: it does not belong in a ledger',
    });
  });
});
