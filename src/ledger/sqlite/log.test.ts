import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { checkSqlite } from './health.ts';
import { readLog } from './log.ts';
import { crashed, flipBit, inFrame } from './testing/crashed.ts';

function eventsSqliteSees(path: string): number {
  const db = new DatabaseSync(path);
  const { events } = db.prepare('SELECT count(*) AS events FROM events').get() as { events: number };
  db.close();
  return events;
}

const logCheck = async (path: string) => (await checkSqlite(path)).find(({ name }) => name === 'log');

describe('a write-ahead log left behind', () => {
  it('that is complete is read to its end without a finding', async () => {
    const path = await crashed();
    expect(readLog(`${path}-wal`)).toMatchObject({ brokenFrame: null, lostCommits: 0 });
    expect(await logCheck(path)).toBeUndefined();
    expect(eventsSqliteSees(path)).toBe(10);
  });

  it('with a flipped byte has lost what follows, and doctor reports how much, although SQLite does not', async () => {
    const path = await crashed();
    const whole = readLog(`${path}-wal`);
    const frame = (whole?.frames ?? 0) - 6;
    flipBit(`${path}-wal`, inFrame(frame, 100));
    expect(await logCheck(path)).toMatchObject({
      status: 'failed',
      found: expect.stringMatching(
        new RegExp(`at frame ${frame}: the ${frame} frames before it are valid, \\d later commits`),
      ),
    });
    const lost = readLog(`${path}-wal`)?.lostCommits ?? 0;
    expect(lost).toBeGreaterThan(0);
    expect(eventsSqliteSees(path)).toBe(10 - lost);
  });

  it('with an interrupted last append has lost nothing acknowledged', async () => {
    const path = await crashed();
    const { frames } = readLog(`${path}-wal`) ?? { frames: 0 };
    flipBit(`${path}-wal`, inFrame(frames - 1, 3000));
    expect(await logCheck(path)).toMatchObject({
      status: 'warning',
      found: expect.stringContaining('was interrupted there'),
    });
    truncateSync(`${path}-wal`, inFrame(frames - 1, 2000));
    expect(await logCheck(path)).toBeUndefined();
  });

  it('is read after it was restarted over frames of an earlier one', async () => {
    const path = await crashed();
    const db = new DatabaseSync(path);
    db.exec('PRAGMA wal_checkpoint(RESTART)');
    db.exec("INSERT INTO meta VALUES ('again', '1')");
    expect(readLog(`${path}-wal`)).toMatchObject({ brokenFrame: null });
    expect(readLog(`${path}-wal`)?.frames).toBeLessThan(10);
    db.close();
  });

  it('that is not a log has no frames, and an empty or missing one is null', async () => {
    const path = await crashed();
    writeFileSync(`${path}-wal`, Buffer.alloc(100, 7));
    expect(readLog(`${path}-wal`)).toEqual({ frames: 0, brokenFrame: 0, lostCommits: 0 });
    writeFileSync(`${path}-wal`, '');
    expect(readLog(`${path}-wal`)).toBeNull();
    rmSync(`${path}-wal`);
    expect(readLog(`${path}-wal`)).toBeNull();
  });
});
