// Evidence in packs: events are read exactly as appended, whatever happens to the file.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collect } from '../contract/fixture.ts';
import { evidenceStream, note, notesStream, someRollouts } from '../contract/samples.ts';
import { openLedger } from '../open.ts';
import { verifyLedger } from '../verify/verify.ts';
import { Tampering } from './testing/tamper.ts';

let folder = '';
let path = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'icecore-packs-'));
  path = join(folder, 'ledger.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const sizes = fc.array(fc.constantFrom(1, 5, 31, 32, 33, 255, 256, 257, 300), { minLength: 1, maxLength: 4 });

function look(sql: string): Record<string, unknown>[] {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
}

function change(sql: string): void {
  const tampering = new Tampering(path, 'as-they-are');
  tampering.run(sql);
  tampering.close();
}

async function findings(): Promise<string[]> {
  const found = await verifyLedger(`sqlite:${path}`, { blobs: null, run: null, head: null });
  return found.findings.filter(({ kind }) => kind !== 'unsealed').map(({ kind, where }) => `${kind} ${where}`);
}

describe('evidence in packs', () => {
  it('is read as appended: by stream, by type, by id, backwards, and with its digests', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, async (appends) => {
        rmSync(path, { force: true });
        const ledger = await openLedger(`sqlite:${path}`, { create: true });
        let count = 0;
        for (const size of appends) {
          await ledger.append(notesStream, [note(count)], { expect: 'any' });
          await ledger.append(evidenceStream, someRollouts(count, size), { expect: 'any' });
          count += size;
        }
        const read = await collect(ledger.read(evidenceStream));
        expect(read.map(({ envelope }) => envelope.data)).toEqual(someRollouts(0, count).map(({ data }) => data));
        const all = (await collect(ledger.readAll())).filter(({ stream }) => stream === evidenceStream);
        const typed = await collect(ledger.readAll({ types: ['RolloutRecorded'] }));
        const backwards = (await collect(ledger.read(evidenceStream, { backwards: true }))).reverse();
        for (const other of [all, typed, backwards])
          expect(other.map(({ body }) => body)).toEqual(read.map(({ body }) => body));
        const last = read.at(-1);
        expect((await ledger.find(last?.id ?? '')).map(({ body }) => body)).toEqual([last?.body]);
        const digests = (await collect(one(ledger.digests({ stream: evidenceStream })))).join('');
        expect(digests).toBe(read.map(({ digest }) => digest).join(''));
        await ledger.close();
        expect(await findings()).toEqual([]);
      }),
      { numRuns: 12 },
    );
  });

  it('takes a fraction of the space', async () => {
    const ledger = await openLedger(`sqlite:${path}`, { create: true });
    for (let from = 0; from < 20_000; from += 1000)
      await ledger.append(evidenceStream, someRollouts(from, 1000), { expect: 'any' });
    await ledger.close();
    expect(statSync(path).size / 20_000).toBeLessThan(200);
  });

  it('is recognised when repeated, and another event with its id is refused', async () => {
    const ledger = await openLedger(`sqlite:${path}`, { create: true });
    const events = someRollouts(0, 600);
    await ledger.append(evidenceStream, events, { expect: 'any' });
    const again = await ledger.append(evidenceStream, events, { expect: 'any' });
    expect(again.existed.every(Boolean)).toBe(true);
    const twice = [...someRollouts(600, 300), ...someRollouts(600, 300)];
    expect((await ledger.append(evidenceStream, twice, { expect: 'any' })).existed.filter(Boolean)).toHaveLength(300);
    const other = { ...events[3], data: { ...(events[3]?.data as object), reward: 7 } } as (typeof events)[number];
    const refused = ledger.append(evidenceStream, [...someRollouts(900, 300), other], { expect: 'any' });
    await expect(refused).rejects.toMatchObject({ name: 'DuplicateId', facts: { differs: ['data.reward'] } });
    expect((await ledger.head()).events).toBe(900);
    await ledger.append(evidenceStream, someRollouts(900, 300), { expect: 'any' });
    await ledger.close();
    expect(await findings()).toEqual([]);
  });

  it('is copied into packs', async () => {
    const ledger = await openLedger(`sqlite:${path}`, { create: true });
    await ledger.append(evidenceStream, someRollouts(0, 300), { expect: 'any' });
    await ledger.append(notesStream, [note(0)], { expect: 'any' });
    const events = await collect(ledger.readAll());
    await ledger.close();
    path = join(folder, 'copy.db');
    const copy = await openLedger(`sqlite:${path}`, { create: true });
    await copy.replicate(events);
    expect((await collect(copy.readAll())).map(({ body }) => body)).toEqual(events.map(({ body }) => body));
    await copy.close();
    expect(look('SELECT first, last FROM packs ORDER BY first')).toEqual([
      { first: 1, last: 256 },
      { first: 257, last: 300 },
    ]);
  });
});

describe('damage to a pack is found and named event by event', () => {
  beforeEach(async () => {
    const ledger = await openLedger(`sqlite:${path}`, { create: true });
    await ledger.append(evidenceStream, someRollouts(0, 40), { expect: 'any' });
    await ledger.append(notesStream, [note(0)], { expect: 'any' });
    await ledger.close();
  });

  const allAltered = Array.from({ length: 40 }, (_, i) => `altered ${evidenceStream}@${i}`);

  it.each([
    [
      'a byte of it is changed',
      "UPDATE packs SET bodies = CAST(substr(bodies, 1, 60) || x'ff' || substr(bodies, 62) AS BLOB)",
    ],
    ['it is truncated', 'UPDATE packs SET bodies = substr(bodies, 1, 60)'],
    ['it is not a pack', "UPDATE packs SET bodies = x'00'"],
    ['it claims other positions', 'UPDATE packs SET first = 2'],
  ])('if %s', async (_, sql) => {
    change(sql);
    expect(await findings()).toEqual(expect.arrayContaining(allAltered));
  });

  it('if it is missing, or there is an additional one', async () => {
    change('DELETE FROM packs');
    expect(await findings()).toEqual(expect.arrayContaining([...allAltered, 'store position 1']));
    change("INSERT INTO packs VALUES (50, 60, x'00')");
    expect(await findings()).toEqual(expect.arrayContaining(['store positions 50 to 60']));
  });
});

async function* one(parts: AsyncIterable<string>): AsyncGenerator<string[]> {
  for await (const part of parts) yield [part];
}
