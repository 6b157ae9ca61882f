// Random ids, which have an index of their own: in three tables, between which they move as a ledger grows.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { collect } from '../contract/fixture.ts';
import { evidenceStream, rollout, rolloutIn, run } from '../contract/samples.ts';
import { maxEventBytes, type PreparedEvent } from '../event.ts';
import { sha256 } from '../identity/ids.ts';
import type { Ledger, StoreFault } from '../ledger.ts';
import { openLedger } from '../open.ts';
import { prepareEvents } from '../prepare.ts';
import { connectWriter, identityOf } from './connection.ts';
import { randomIdTables } from './layout.ts';
import { makeOldFormat } from './testing/old-format.ts';
import { Tampering } from './testing/tamper.ts';
import { Writing } from './writing.ts';

let folder = '';
let path = '';
const opened: Ledger[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'icecore-random-ids-'));
  path = join(folder, 'ledger.db');
});

afterEach(async () => {
  for (const ledger of opened.splice(0)) await ledger.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(at = path): Promise<Ledger> {
  const ledger = await openLedger(`sqlite:${at}`, { create: true });
  opened.push(ledger);
  return ledger;
}

/** A UUID of version 4, which begins with some digits. */
function randomId(index: number, beginning = ''): string {
  const digits = beginning + sha256(`random ${index}`).slice(beginning.length);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}

function randomRollout(index: number, id = randomId(index)): NewEvent<Record<string, unknown>> {
  return { ...rollout(index), id };
}

function randomRollouts(from: number, count: number): NewEvent[] {
  return Array.from({ length: count }, (_, i) => randomRollout(from + i));
}

function differing(event: NewEvent<Record<string, unknown>>): NewEvent {
  return { ...event, data: { ...event.data, reward: 0.5 } };
}

/** Enough for ids in all tables: at every thousandth event, some move. */
const many = 17_000;

async function appendMany(ledger: Ledger): Promise<void> {
  for (let from = 0; from < many; from += 1000)
    await ledger.append(evidenceStream, randomRollouts(from, 1000), { expect: 'any' });
}

interface Entry {
  readonly id: string;
  readonly position: number;
}

/** The entries of each table, with the first digits of their ids. */
function entries(of = path): readonly (readonly Entry[])[] {
  const db = new DatabaseSync(of, { readOnly: true });
  try {
    return randomIdTables.map((table) => {
      const rows = db.prepare(`SELECT lower(hex(prefix)) AS id, position FROM ${table} ORDER BY position`);
      return rows.all() as unknown as Entry[];
    });
  } finally {
    db.close();
  }
}

async function faultsIn(ledger: Ledger, of: string | null = null): Promise<StoreFault[]> {
  const faults: StoreFault[] = [];
  for await (const fault of ledger.audit({ wholly: of === null, run: of })) faults.push(fault);
  return faults;
}

describe('random ids', () => {
  it('move to larger tables together with others of the same first digits, and are found in each', async () => {
    const ledger = await open();
    await appendMany(ledger);
    const [newest, larger, largest] = entries() as [readonly Entry[], readonly Entry[], readonly Entry[]];
    expect(newest.length + larger.length + largest.length).toBe(many);
    expect(new Set(largest.map(({ id }) => id.slice(0, 2)))).toContain('11');
    expect(new Set(larger.map(({ id }) => id[0])).size).toBe(16);
    // Ids with a 1 have just moved on, those with a 2 did so 15,000 events ago.
    expect(newest.filter(({ id }) => id.startsWith('1'))).toEqual([]);
    expect(newest.filter(({ id }) => id.startsWith('2')).length).toBeGreaterThan(700);
    for (const some of [newest, larger, largest]) {
      const index = (some[0]?.position ?? 0) - 1;
      const id = randomId(index);
      const places = await Promise.all([ledger.find(id), ledger.find(id.slice(0, 12))]);
      expect(places.map((found) => found.map((event) => [event.id, event.revision]))).toEqual([
        [[id, index]],
        [[id, index]],
      ]);
      const again = await ledger.append(evidenceStream, [randomRollout(index)], { expect: 'any' });
      expect(again.existed).toEqual([true]);
      const other = differing(randomRollout(index));
      const refused = { name: 'DuplicateId', facts: { stored: { stream: evidenceStream, revision: index } } };
      await expect(ledger.append(evidenceStream, [other], { expect: 'any' })).rejects.toMatchObject(refused);
    }
    expect(await ledger.head()).toMatchObject({ events: many });
    expect(await faultsIn(ledger)).toEqual([]);
    expect(await faultsIn(ledger, run)).toEqual([]);
  });

  it('stay in their tables if the append that moves them fails', async () => {
    const ledger = await open();
    await ledger.append(evidenceStream, randomRollouts(0, 900), { expect: 'any' });
    const before = entries();
    const failing = [...randomRollouts(900, 200), differing(randomRollout(5))];
    await expect(ledger.append(evidenceStream, failing, { expect: 'any' })).rejects.toMatchObject({
      name: 'DuplicateId',
    });
    expect(entries()).toEqual(before);
    await ledger.append(evidenceStream, randomRollouts(900, 200), { expect: 'any' });
    expect(entries().map((some) => some.length > 0)).toEqual([true, true, false]);
    expect(await faultsIn(ledger)).toEqual([]);
  });

  it('stay in their tables after a crash in the middle of an append', async () => {
    const ledger = await open();
    await ledger.append(evidenceStream, randomRollouts(0, 900), { expect: 'any' });
    const before = entries();
    const reader = new DatabaseSync(path, { readOnly: true });
    const identity = identityOf(reader, path);
    reader.close();
    const db = await connectWriter(identity);
    // A small cache, so that the log has pages of the append before its commit.
    db.exec('PRAGMA cache_size = 10');
    const writing = new Writing(db, identity);
    const left = join(folder, 'left.db');
    const events = prepareEvents(evidenceStream, randomRollouts(900, 401), maxEventBytes);
    const crashing = Object.defineProperty({ ...(events.at(-1) as PreparedEvent) }, 'head', {
      get() {
        for (const end of ['', '-wal']) copyFileSync(path + end, left + end);
        throw new Error('crashed');
      },
    });
    expect(() => writing.append(evidenceStream, events.with(-1, crashing), 'any')).toThrow('crashed');
    db.close();
    const again = await open(left);
    expect(entries(left)).toEqual(before);
    const stored = await again.append(evidenceStream, randomRollouts(800, 500), { expect: 'any' });
    expect(stored.existed.filter(Boolean)).toHaveLength(100);
    expect(await faultsIn(again)).toEqual([]);
  });

  it('that begin with the same digits are distinguished', async () => {
    const ledger = await open();
    const alike = [0, 1, 2].map((index) => randomRollout(index, randomId(index, '0123456789ab')));
    await ledger.append(evidenceStream, alike, { expect: 'any' });
    expect(await ledger.find('0123456789ab', 10)).toHaveLength(3);
    const [first] = alike as [NewEvent];
    expect((await ledger.find(first.id)).map(({ id }) => id)).toEqual([first.id]);
    const again = await ledger.append(evidenceStream, alike, { expect: 'any' });
    expect(again.existed).toEqual([true, true, true]);
    expect(await faultsIn(ledger)).toEqual([]);
  });

  it('are unique however many writers there are, and beside ids of icecore', async () => {
    const [one, other] = [await open(), await open()];
    for (let from = 0; from < 2400; from += 300) {
      const events = randomRollouts(from, 300).flatMap((event, i) => [event, rollout(10_000 + from + i)]);
      const first = await one.append(evidenceStream, events, { expect: 'any' });
      expect(new Set(first.existed)).toEqual(new Set([false]));
      const again = await other.append(evidenceStream, events, { expect: 'any' });
      expect(new Set(again.existed)).toEqual(new Set([true]));
    }
    expect(await one.head()).toMatchObject({ events: 4800 });
    expect(entries().flat()).toHaveLength(2400);
    expect(await faultsIn(one)).toEqual([]);
  });

  it('are also unique when events of another ledger are stored', async () => {
    const [ledger, other] = [await open(), await open(join(folder, 'other.db'))];
    const elsewhere = evidenceStream.replace(/1$/, '2');
    await ledger.append(evidenceStream, randomRollouts(0, 40), { expect: 'any' });
    await other.append(elsewhere, [{ ...rolloutIn(elsewhere, 7), id: randomId(7) }], { expect: 'any' });
    const [copied = []] = await collectPages(other);
    await expect(ledger.replicate(copied)).rejects.toMatchObject({ name: 'DuplicateId' });
    expect(await ledger.head()).toMatchObject({ events: 40 });
  });
});

async function collectPages(ledger: Ledger) {
  const pages = [];
  for await (const page of ledger.readAll()) pages.push(page);
  return pages;
}

describe('a ledger of the second format', () => {
  it('keeps its one index for all ids, and random ids in it are unique and found', async () => {
    const ledger = await open();
    await ledger.append(evidenceStream, randomRollouts(0, 500), { expect: 'any' });
    await ledger.close();
    const old = join(folder, 'old.db');
    makeOldFormat(2, path, old);
    const again = await open(old);
    const stored = await again.append(evidenceStream, randomRollouts(400, 800), { expect: 'any' });
    expect(stored.existed.filter(Boolean)).toHaveLength(100);
    await expect(
      again.append(evidenceStream, [differing(randomRollout(450))], { expect: 'any' }),
    ).rejects.toMatchObject({ name: 'DuplicateId' });
    expect((await again.find(randomId(1100))).map(({ revision }) => revision)).toEqual([1100]);
    expect((await collect(again.readAll())).map(({ id }) => id)).toEqual(randomRollouts(0, 1200).map(({ id }) => id));
    expect([await faultsIn(again), await faultsIn(again, run)]).toEqual([[], []]);
    const db = new DatabaseSync(old, { readOnly: true });
    expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: 2 });
    db.close();
  });
});

describe('an index of random ids is reported', () => {
  const place = `${evidenceStream}@4`;

  async function faultsAfter(...statements: readonly string[]): Promise<[wholly: StoreFault[], ofRun: StoreFault[]]> {
    const ledger = await open();
    await ledger.append(evidenceStream, randomRollouts(0, 40), { expect: 'any' });
    await ledger.close();
    const tampering = new Tampering(path);
    for (const sql of statements) tampering.run(sql);
    tampering.close();
    const changed = await open();
    return [await faultsIn(changed), await faultsIn(changed, run)];
  }

  it('if an event is missing from it', async () => {
    const [wholly, ofRun] = await faultsAfter('DELETE FROM random_ids_0 WHERE position = 5');
    const what = 'the index of random ids has its id at no position';
    expect(wholly).toEqual([
      { where: 'ids', what: '40 events have random ids, their index has 39' },
      { where: 'position 5', what },
    ]);
    expect(ofRun).toEqual([{ where: place, what }]);
  });

  it('if it leads to another event', async () => {
    const [wholly, ofRun] = await faultsAfter('UPDATE random_ids_0 SET position = 6 WHERE position = 5');
    const what = 'the index of random ids has its id at no position';
    expect(wholly).toEqual([{ where: 'position 5', what }]);
    expect(ofRun).toEqual([{ where: place, what }]);
  });

  it('if an event is in it twice', async () => {
    const copy = 'INSERT INTO random_ids_2 SELECT * FROM random_ids_0 WHERE position = 5';
    const [wholly, ofRun] = await faultsAfter(copy);
    const what = 'the index of random ids has its id at positions 5, 5';
    expect(wholly).toContainEqual({ where: 'position 5', what });
    expect(ofRun).toEqual([{ where: place, what }]);
  });

  it('if it has an entry without an event', async () => {
    const [wholly] = await faultsAfter("INSERT INTO random_ids_1 VALUES (x'0123456789ab', 7)");
    expect(wholly).toEqual([{ where: 'ids', what: '40 events have random ids, their index has 41' }]);
  });

  it('if two events have the same id', async () => {
    const [wholly, ofRun] = await faultsAfter(
      'UPDATE events SET id = (SELECT id FROM events WHERE position = 5) WHERE position = 9',
      'UPDATE random_ids_0 SET prefix = (SELECT prefix FROM random_ids_0 WHERE position = 5) WHERE position = 9',
    );
    const what = 'the index of random ids has its id at positions 5, 9';
    expect(wholly).toEqual([5, 9].map((position) => ({ where: `position ${position}`, what })));
    expect(ofRun.map(({ where }) => where)).toEqual([place, `${evidenceStream}@8`]);
  });
});
