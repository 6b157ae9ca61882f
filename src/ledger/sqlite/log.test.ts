import { copyFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { note, notesStream } from '../contract/samples.ts';
import { openLedger } from '../open.ts';
import { checkSqlite } from './health.ts';
import { readLog } from './log.ts';

/** A ledger as a crash leaves it: ten appends, all of them still in the log. */
async function crashed(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [path, left] = [join(folder, 'ledger.db'), join(folder, 'left.db')];
  const ledger = await openLedger(`sqlite:${path}`, { create: true });
  for (let i = 0; i < 10; i++) await ledger.append(notesStream, [note(i)], { expect: i - 1 });
  for (const end of ['', '-wal']) copyFileSync(path + end, left + end);
  await ledger.close();
  return left;
}

function spoil(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] as number) ^ 1;
  writeFileSync(path, bytes);
}

function eventsSqliteSees(path: string): number {
  const db = new DatabaseSync(path);
  const { events } = db.prepare('SELECT count(*) AS events FROM events').get() as { events: number };
  db.close();
  return events;
}

const logCheck = async (path: string) => (await checkSqlite(path)).find(({ name }) => name === 'log');

const frameBytes = 24 + 8192;

describe('a write-ahead log left behind', () => {
  it('that is whole is read to its end, and nothing is said of it', async () => {
    const path = await crashed();
    expect(readLog(`${path}-wal`)).toMatchObject({ brokenFrame: null, lostCommits: 0 });
    expect(await logCheck(path)).toBeUndefined();
    expect(eventsSqliteSees(path)).toBe(10);
  });

  it('with a flipped byte has lost what lies behind it, and doctor says how much, though SQLite does not', async () => {
    const path = await crashed();
    const whole = readLog(`${path}-wal`);
    const frame = (whole?.frames ?? 0) - 6;
    spoil(`${path}-wal`, 32 + frame * frameBytes + 100);
    expect(await logCheck(path)).toMatchObject({
      status: 'failed',
      found: expect.stringMatching(new RegExp(`at frame ${frame}: the ${frame} frames before it stand, \\d commits`)),
    });
    const lost = readLog(`${path}-wal`)?.lostCommits ?? 0;
    expect(lost).toBeGreaterThan(0);
    expect(eventsSqliteSees(path)).toBe(10 - lost);
  });

  it('whose last append was cut short has lost nothing that was acknowledged', async () => {
    const path = await crashed();
    const { frames } = readLog(`${path}-wal`) ?? { frames: 0 };
    spoil(`${path}-wal`, 32 + (frames - 1) * frameBytes + 5000);
    expect(await logCheck(path)).toMatchObject({ status: 'warning', found: expect.stringContaining('cut short') });
    truncateSync(`${path}-wal`, 32 + (frames - 1) * frameBytes + 4000);
    expect(await logCheck(path)).toBeUndefined();
  });

  it('is read after it was begun anew, over frames of an earlier one', async () => {
    const path = await crashed();
    const db = new DatabaseSync(path);
    db.exec('PRAGMA wal_checkpoint(RESTART)');
    db.exec("INSERT INTO meta VALUES ('again', '1')");
    expect(readLog(`${path}-wal`)).toMatchObject({ brokenFrame: null });
    expect(readLog(`${path}-wal`)?.frames).toBeLessThan(10);
    db.close();
  });

  it('that is no log, or is not there, is no reason to fall', async () => {
    const path = await crashed();
    writeFileSync(`${path}-wal`, Buffer.alloc(100, 7));
    expect(readLog(`${path}-wal`)).toEqual({ frames: 0, brokenFrame: 0, lostCommits: 0 });
    writeFileSync(`${path}-wal`, '');
    expect(readLog(`${path}-wal`)).toBeNull();
    rmSync(`${path}-wal`);
    expect(readLog(`${path}-wal`)).toBeNull();
  });
});
