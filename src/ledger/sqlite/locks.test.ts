// POSIX locks belong to the process: opening and closing a database file in any other way drops every lock that the process holds
// on it, and then two writers both succeed. These tests show that the danger is real, and that the store's own code never causes
// it.
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collect } from '../contract/fixture.ts';
import { evidenceStream, note, notesStream, someRollouts } from '../contract/samples.ts';
import { checkLedger } from '../health.ts';
import { openLedger } from '../open.ts';
import { connect, migrate } from './connection.ts';

let folder = '';
let path = '';
let url = '';
let holder: DatabaseSync;

/** A transaction that holds the write lock and has not committed yet. */
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'icecore-locks-'));
  path = join(folder, 'ledger.db');
  url = `sqlite:${path}`;
  const ledger = await openLedger(url, { create: true });
  await ledger.append(notesStream, [note(0)], { expect: 'any' });
  await ledger.close();
  holder = await connect(path, 'write');
  holder.exec("BEGIN IMMEDIATE; INSERT INTO streams (name) VALUES ('notes-holder')");
});

afterEach(() => {
  if (holder.isTransaction) holder.exec('ROLLBACK');
  holder.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Whether another process can acquire the write lock. */
function anotherWins(): boolean {
  const program = `
    import { DatabaseSync } from 'node:sqlite';
    const db = new DatabaseSync(${JSON.stringify(path)}, { timeout: 0 });
    try { db.exec('BEGIN IMMEDIATE; ROLLBACK'); console.log('won'); } catch (error) { console.log(error.errcode); }`;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' }).trim();
  expect(['won', '5']).toContain(said);
  return said === 'won';
}

describe('while a writer holds the ledger', () => {
  it('another process cannot acquire the lock', () => {
    expect(anotherWins()).toBe(false);
  });

  it.runIf(process.platform === 'linux')('opening and closing the file through fs would release the lock', () => {
    closeSync(openSync(path, 'r'));
    closeSync(openSync(`${path}-shm`, 'r'));
    expect(anotherWins()).toBe(true);
  });

  it('the store never releases the lock in the same process', async () => {
    const ledger = await openLedger(url);
    await collect(ledger.readAll());
    await ledger.find('0000');
    await ledger.head();
    for await (const delivery of ledger.subscribe()) if (delivery.kind === 'caught-up') break;
    await (await openLedger(url, { readOnly: true })).close();
    await (await openLedger(url, { create: true })).close();
    const stop = new AbortController();
    const waiting = ledger.append(notesStream, [note(1)], { expect: 'any', signal: stop.signal });
    await checkLedger(url);
    await migrate(path);
    stop.abort();
    await expect(waiting).rejects.toThrow();
    await ledger.close();
    expect(anotherWins()).toBe(false);
    holder.exec('COMMIT');
    expect(anotherWins()).toBe(true);
  });
});

describe('an append that waits for the lock', () => {
  it.each([1, 300])('of %i events is cancelled by an abort, and by closing the ledger', async (count) => {
    const ledger = await openLedger(url);
    const stop = new AbortController();
    const first = ledger.append(evidenceStream, someRollouts(0, count), { expect: 'any', signal: stop.signal });
    const behind = ledger.append(notesStream, [note(5)], { expect: 'any', signal: stop.signal });
    setImmediate(() => stop.abort(new Error('enough')));
    await Promise.all([expect(first).rejects.toThrow('enough'), expect(behind).rejects.toThrow('enough')]);
    const second = ledger.append(evidenceStream, someRollouts(0, count), { expect: 'any' });
    const refused = expect(second).rejects.toMatchObject({ name: 'LedgerClosed' });
    await ledger.close();
    await refused;
    holder.exec('ROLLBACK');
    const again = await openLedger(url);
    expect(await again.head()).toMatchObject({ events: 1 });
    await again.close();
  });
});

describe('the code of the store', () => {
  it('opens the file or its index, and writes its log, only through SQLite', () => {
    holder.exec('ROLLBACK');
    const guard = fileURLToPath(new URL('./testing/guard.ts', import.meta.url));
    const program = fileURLToPath(new URL('./testing/every-path.ts', import.meta.url));
    const run = spawnSync(process.execPath, ['--import', guard, program, join(folder, 'guarded.db')], {
      encoding: 'utf8',
    });
    expect({ status: run.status, complaint: run.stderr, said: run.stdout.trim() }).toEqual({
      status: 0,
      complaint: '',
      said: '["guarded.db"]',
    });
  });
});
