// A rollback journal next to a ledger: readers would not see what SQLite does with it for the next writer, and it may name another
// file, which SQLite deletes once the journal is played back.
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collect } from '../contract/fixture.ts';
import { note, notesStream } from '../contract/samples.ts';
import { openLedger } from '../open.ts';
import { verifyLedger } from '../verify/verify.ts';
import { checkSqlite } from './health.ts';
import { pageSize } from './layout.ts';

let folder = '';
let path = '';
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'icecore-journal-'));
  path = join(folder, 'ledger.db');
  const ledger = await openLedger(`sqlite:${path}`, { create: true });
  await ledger.append(notesStream, [note(0)], { expect: 'any' });
  await ledger.close();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const magic = Buffer.from('d9d505f920a163d7', 'hex');

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
}

/** A journal that replaces `from` with `to` when it is played back, like SQLite would have written it. */
function journalThatTurns(from: string, to: string): Buffer {
  const now = readFileSync(path);
  const then = Buffer.from(now.toString('latin1').replaceAll(from, to), 'latin1');
  const sector = 512;
  const records: Buffer[] = [];
  for (let at = 0; at < now.length; at += pageSize) {
    const page = then.subarray(at, at + pageSize);
    if (page.equals(now.subarray(at, at + pageSize))) continue;
    let sum = 0;
    for (let i = pageSize - 200; i > 0; i -= 200) sum += page[i] ?? 0;
    records.push(Buffer.concat([numbers(at / pageSize + 1), page, numbers(sum)]));
  }
  const header = Buffer.alloc(sector);
  magic.copy(header);
  numbers(records.length, 0, now.length / pageSize, sector, pageSize).copy(header, magic.length);
  return Buffer.concat([header, ...records]);
}

const ways = [{ readOnly: true }, { readOnly: false }, { create: true }];

describe('a ledger with a journal that would be played back', () => {
  let journal: Buffer;
  let before: Buffer;
  beforeEach(() => {
    journal = journalThatTurns('note 0', 'note 9');
    before = readFileSync(path);
    writeFileSync(`${path}-journal`, journal);
  });

  it('changes when SQLite opens it for writing', () => {
    const db = new DatabaseSync(path);
    expect(String(db.prepare('SELECT body FROM events').get()?.['body'])).toContain('note 9');
    db.close();
  });

  it.each(ways)('is not opened and not changed: %o', async (options) => {
    await expect(openLedger(`sqlite:${path}`, options)).rejects.toMatchObject({
      name: 'ForeignJournal',
      kind: 'damaged',
      facts: { journal: `${path}-journal` },
    });
    expect(readFileSync(path)).toEqual(before);
    expect(readFileSync(`${path}-journal`)).toEqual(journal);
  });

  it('is not verified, and is a failed check of doctor, which changes nothing', async () => {
    const verified = verifyLedger(`sqlite:${path}`, { blobs: null, run: null, head: null });
    await expect(verified).rejects.toMatchObject({ name: 'ForeignJournal' });
    const [check] = await checkSqlite(path);
    expect(check).toMatchObject({ name: 'ledger', status: 'failed', found: expect.stringContaining('journal') });
    expect(readFileSync(path)).toEqual(before);
    expect(readFileSync(`${path}-journal`)).toEqual(journal);
  });

  it('is not written to through a connection from before the journal', async () => {
    rmSync(`${path}-journal`);
    const ledger = await openLedger(`sqlite:${path}`);
    writeFileSync(`${path}-journal`, journal);
    const refused = ledger.append(notesStream, [note(1)], { expect: 'any' });
    await expect(refused).rejects.toMatchObject({ name: 'ForeignJournal' });
    await ledger.close();
  });
});

describe('a ledger with a journal that is void by the rules of SQLite', () => {
  it.each([
    ['empty', () => Buffer.alloc(0)],
    ['zeroed, as SQLite leaves it in persistent journal mode', () => Buffer.alloc(1024)],
    ['with a header that was zeroed', () => Buffer.concat([Buffer.alloc(28), journalThatTurns('0', '9').subarray(28)])],
  ])('is read and written: %s', async (_, journal) => {
    writeFileSync(`${path}-journal`, journal());
    const ledger = await openLedger(`sqlite:${path}`);
    await ledger.append(notesStream, [note(1)], { expect: 'any' });
    expect((await collect(ledger.readAll())).map(({ envelope }) => envelope.data)).toEqual([
      note(0).data,
      note(1).data,
    ]);
    await ledger.close();
  });
});

describe('a ledger with a journal that names another file', () => {
  it.each(ways)('is not opened: %o', async (options) => {
    writeFileSync(`${path}-journal`, Buffer.concat([magic, Buffer.alloc(1000), magic]));
    await expect(openLedger(`sqlite:${path}`, options)).rejects.toMatchObject({
      name: 'NotALedger',
      message: expect.stringContaining('a journal that names another file'),
    });
  });

  it('is not opened through a link either', async () => {
    writeFileSync(`${path}-journal`, Buffer.concat([Buffer.alloc(512), magic]));
    symlinkSync(path, join(folder, 'link.db'));
    await expect(openLedger(`sqlite:${folder}/link.db`)).rejects.toMatchObject({ name: 'NotALedger' });
  });
});
