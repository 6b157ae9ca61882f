// Copies from and to files that are damaged, inaccessible, or not ledgers.
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { evidenceStream, note, notesStream, someRollouts } from '../contract/samples.ts';
import { CopyBench, eventsOf } from '../copy/testing/copy-bench.ts';
import { spoken, textNowhere } from '../copy/testing/history.ts';
import { sha256 } from '../identity/ids.ts';
import { Tampering } from './testing/tamper.ts';
import { unprivileged } from './testing/unprivileged.ts';

let bench: CopyBench;
beforeEach(() => {
  bench = new CopyBench();
});
afterEach(() => bench.close());

/** An idle ledger: one note, 1,500 rollouts, one note, at positions 1, 2 to 1501, and 1502. */
async function recorded(name: string): Promise<void> {
  const ledger = await bench.ledger(name);
  await ledger.append(notesStream, [note(0)], { expect: 'any' });
  await ledger.append(evidenceStream, someRollouts(0, 1500), { expect: 'any' });
  await ledger.append(notesStream, [note(1)], { expect: 'any' });
  await ledger.close();
}

function tamper(name: string, change: (tampering: Tampering) => void): void {
  const tampering = new Tampering(bench.path(name));
  change(tampering);
  tampering.close();
}

/** Replaces the bytes of an event, with the old digest or a matching one. */
function alter(name: string, position: number, change: (body: string) => string, digest?: 'fitting'): void {
  tamper(name, (tampering) => {
    const event = tampering.bodies()[position - 1];
    if (event === undefined) throw new Error(`there is no event at ${position}`);
    const body = Buffer.from(change(event.body.toString()));
    tampering.rewrite(position, body, digest === 'fitting' ? Buffer.from(sha256(body), 'hex') : event.digest);
  });
}

describe('a damaged event in the original', () => {
  const at = 1300;
  const damaged = { name: 'DamagedEvent', kind: 'damaged', facts: { stream: evidenceStream, revision: at - 2 } };

  it.each([
    [
      'one byte of its data',
      (body: string) =>
        body.replace('"outcome":"hole"', '"outcome":"hols"').replace('"outcome":"valid"', '"outcome":"valie"'),
    ],
    ['a byte that makes it invalid JSON, although it names a blob', (body: string) => `${body.slice(0, -1)} "blob":"`],
    ['its identity', (body: string) => body.replace('"revision":1298', '"revision":1297')],
  ])('%s: is named, and everything before it is copied', async (_, change) => {
    await recorded('original');
    alter('original', at, change);
    for (let time = 0; time < 2; time++) {
      await expect(bench.copy('original', 'copy')).rejects.toMatchObject(damaged);
      const copy = await bench.ledger('copy');
      expect(await eventsOf(copy)).toHaveLength(at - 1);
      await copy.close();
    }
  });

  it('is not copied into a ledger with other events either', async () => {
    await recorded('original');
    alter('original', at, (body) => body.replace('"seed":', '"seee":'));
    const other = await bench.ledger('other');
    await expect(bench.copy('original', 'other')).rejects.toMatchObject(damaged);
    expect(await eventsOf(other)).toHaveLength(at - 1);
  });

  it('names no blobs, since the name may be damaged', async () => {
    const original = await bench.ledger('original');
    const missing = textNowhere('a text');
    await original.append(evidenceStream, [spoken(evidenceStream, 0, missing)], { expect: 'any' });
    await bench.copy('original', 'copy');
    await original.close();
    alter('original', 1, (body) => body.replace(missing.blob, missing.blob.replace(/./g, '0')));
    expect((await bench.copy('original', 'copy')).lostBlobs).toEqual([]);
  });

  it('rewritten with a matching digest is revealed by the event after it', async () => {
    await recorded('original');
    alter('original', 1, (body) => body.replace('note 0', 'note 9'), 'fitting');
    const what = /follows another event than the one before it/;
    await expect(bench.copy('original', 'copy')).rejects.toMatchObject({
      ...damaged,
      message: expect.stringMatching(what),
      facts: { stream: notesStream, revision: 1 },
    });
    expect(await eventsOf(await bench.ledger('copy'))).toHaveLength(1501);
  });

  it('with a removed predecessor is named', async () => {
    await recorded('original');
    tamper('original', (tampering) => tampering.run('DELETE FROM events WHERE position = ?', at - 1));
    await expect(bench.copy('original', 'copy')).rejects.toMatchObject({
      ...damaged,
      message: expect.stringContaining('the event before it is missing'),
    });
    expect(await eventsOf(await bench.ledger('copy'))).toHaveLength(at - 2);
  });
});

describe('an altered event in the copy', () => {
  it('with a matching digest prevents the copy from being updated', async () => {
    await recorded('original');
    await bench.copy('original', 'copy');
    alter('copy', 500, (body) => body.replace('"seed":', '"seee":'), 'fitting');
    const original = await bench.ledger('original');
    await original.append(notesStream, [note(2)], { expect: 'any' });
    await expect(bench.copy('original', 'copy')).rejects.toMatchObject({ name: 'NotACopy', facts: { event: 500 } });
    expect(await eventsOf(await bench.ledger('copy'))).toHaveLength(1502);
  });
});

describe('a target', () => {
  it.each([
    [
      'a text',
      (path: string) => writeFileSync(path, 'this is a text that is long enough to have a header of its own, and more'),
    ],
    ['a database of another program', (path: string) => makeDatabase(path, 'CREATE TABLE theirs (x)')],
  ])('that is %s is NotALedger and is not changed', async (_, make) => {
    await recorded('original');
    make(bench.path('other'));
    const before = readFileSync(bench.path('other'));
    await expect(bench.copy('original', 'other')).rejects.toMatchObject({ name: 'NotALedger' });
    expect(readFileSync(bench.path('other'))).toEqual(before);
  });

  it('of a newer icecore is NewerLedger', async () => {
    await recorded('original');
    await (await bench.ledger('newer')).close();
    makeDatabase(bench.path('newer'), 'PRAGMA user_version = 99');
    await expect(bench.copy('original', 'newer')).rejects.toMatchObject({ name: 'NewerLedger', facts: { found: 99 } });
  });

  it('that is a file copy of the original is a valid copy', async () => {
    await recorded('original');
    copyFileSync(bench.path('original'), bench.path('copy'));
    const original = await bench.ledger('original');
    await original.append(notesStream, [note(2)], { expect: 'any' });
    expect(await bench.copy('original', 'copy')).toMatchObject({ copied: 1, proof: { events: 1503 } });
  });

  it('that cannot be written is reported, and is not changed', async () => {
    await recorded('original');
    const place = join(bench.folder, 'locked');
    mkdirSync(place);
    await bench.copy('original', 'locked/copy');
    await (await bench.ledger('original')).append(notesStream, [note(2)], { expect: 'any' });
    chmodSync(join(place, 'copy.db'), 0o444);
    chmodSync(place, 0o555);
    const said = copyAsUser('original', 'locked/copy');
    chmodSync(place, 0o755);
    expect(said).toMatchObject({ name: 'StorageFailed', message: expect.stringMatching(/cannot be (written|opened)/) });
    expect(await eventsOf(await bench.ledger('locked/copy', { readOnly: true }))).toHaveLength(1502);
  });
});

function makeDatabase(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}

const program = fileURLToPath(new URL('../copy/testing/copy-process.ts', import.meta.url));

/** The message for a user without permission. */
function copyAsUser(from: string, to: string): unknown {
  const [command, ...args] = unprivileged([process.execPath, program, bench.url(from), bench.url(to)]);
  return outcome(spawnSync(command, args, { encoding: 'utf8' }));
}

function outcome({ stdout, stderr }: { stdout: string; stderr: string }): unknown {
  const last = stdout.trim().split('\n').at(-1) ?? '';
  if (last === '') throw new Error(stderr);
  return JSON.parse(last);
}

/** A small private disk needs a mount namespace, which not every machine allows. */
const mountSmallDisk = 'mount -t tmpfs -o size=6m tmpfs "$1" && shift && exec "$@"';
const canMount = spawnSync('unshare', ['-rm', 'sh', '-c', mountSmallDisk, 'sh', dirname(program), 'true']).status === 0;

describe('a full disk', () => {
  it.skipIf(!canMount)('keeps the copied part intact, and accepts the rest once there is space', async () => {
    const original = await bench.ledger('original');
    await original.append(evidenceStream, someRollouts(0, 8000), { expect: 'any' });
    const place = join(bench.folder, 'small');
    mkdirSync(place);
    const full = fileURLToPath(new URL('./testing/full-copy.ts', import.meta.url));
    const command = [process.execPath, full, original.url, place];
    const said = outcome(
      spawnSync('unshare', ['-rm', 'sh', '-c', mountSmallDisk, 'sh', place, ...command], { encoding: 'utf8' }),
    );
    expect(said).toMatchObject({
      refusal: { name: 'StorageFailed', message: expect.stringContaining('the disk is full') },
      afterwards: { events: 8000 },
    });
    const { whenFull } = said as { whenFull: number };
    expect(whenFull % 1000).toBe(0);
    expect(whenFull).toBeLessThan(8000);
  });
});
