// What is on the disk of an index may be lost, made twice, or be something else: it is never more than a memory.
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { note, notesStream } from '../../contract/samples.ts';
import { ledgerTopics, onAndOn, PartsInMemory } from '../testing/parts-in-memory.ts';
import { indexPath, openIndexFile, scratchIn } from './file.ts';
import { Index } from './index.ts';

let folder = '';
let path = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'icecore-index-'));
  path = join(folder, 'ledger', 'index.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const topics = ledgerTopics();
const { lanes } = new PartsInMemory(topics);
const lane = lanes.ofStream(notesStream)?.number ?? 0;

async function opened(): Promise<PartsInMemory> {
  return new PartsInMemory(topics, { index: new Index(await openIndexFile(path, lanes.count), lanes) });
}

describe('the file of an index', () => {
  it('is made once, also by many at once, and left with nothing beside it', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => openIndexFile(path, lanes.count)));
    for (const db of all) db.close();
    expect(existsSync(path)).toBe(true);
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  it('keeps what was taken in', async () => {
    const parts = await opened();
    await parts.writing.append(notesStream, [note(0)], { expect: 'any' }, onAndOn);
    parts.index.close();
    const again = await opened();
    expect(again.index.stream(notesStream)).toMatchObject({ next: 1 });
    again.index.close();
  });

  it('is made anew where its folder was deleted, while those who have it open go on with theirs', async () => {
    const parts = await opened();
    await parts.survey.head(onAndOn);
    rmSync(dirname(path), { recursive: true });
    const another = await opened();
    expect(another.index.lane(lane).next).toBe(0);
    for (const [index, each] of [parts, another, parts].entries())
      await each.writing.append(notesStream, [note(10 + index)], { expect: 'any' }, onAndOn);
    expect(await parts.survey.head(onAndOn)).toEqual(await another.survey.head(onAndOn));
    for (const { index } of [parts, another]) index.close();
  });

  it('is refused where it is none, with what to do', async () => {
    (await openIndexFile(path, lanes.count)).close();
    writeFileSync(path, 'no database at all'.repeat(100));
    const refusal = { name: 'StorageFailed', remedy: expect.stringMatching(/delete its folder/) };
    await expect(openIndexFile(path, lanes.count)).rejects.toMatchObject(refusal);
  });

  it('is refused where only its log was left', async () => {
    const parts = await opened();
    await parts.writing.append(notesStream, [note(20)], { expect: 'any' }, onAndOn);
    rmSync(path);
    const refusal = { name: 'StorageFailed', remedy: expect.stringMatching(/delete its folder/) };
    await expect(openIndexFile(path, lanes.count)).rejects.toMatchObject(refusal);
    rmSync(dirname(path), { recursive: true });
    parts.index.close();
    (await openIndexFile(path, lanes.count)).close();
  });

  it('is refused, with what to do, also where it is damaged while it is open', async () => {
    const parts = await opened();
    for (let index = 30; index < 40; index++)
      await parts.writing.append(notesStream, [note(index)], { expect: 'any' }, onAndOn);
    parts.index.close();
    const db = await openIndexFile(path, lanes.count);
    const index = new Index(db, lanes);
    const [pageBytes, { size }] = [4096, statSync(path)];
    const file = openSync(path, 'r+');
    writeSync(file, Buffer.alloc(size - pageBytes, 0xee), 0, size - pageBytes, pageBytes);
    closeSync(file);
    const refusal = expect.objectContaining({
      name: 'StorageFailed',
      remedy: expect.stringMatching(/delete its folder/),
    });
    expect(() => index.stream(notesStream)).toThrow(refusal);
    expect(() => index.lane(lane)).toThrow(refusal);
    index.close();
  });

  it('loses what an audit left beside it that was killed, and nothing of one that runs', async () => {
    (await openIndexFile(path, lanes.count)).close();
    const beside = dirname(path);
    const script = `
      import { openIndexFile, scratchIn } from ${JSON.stringify(import.meta.resolve('./file.ts'))};
      const db = await openIndexFile(scratchIn(${JSON.stringify(beside)}).path, ${lanes.count});
      db.exec('UPDATE lanes SET next = 1');
      process.kill(process.pid, 'SIGKILL');`;
    spawnSync(process.execPath, ['--input-type=module', '--eval', script]);
    const [left = ''] = readdirSync(beside).filter((name) => name.endsWith('.part'));
    expect(readdirSync(join(beside, left))).toEqual(['index.db', 'index.db-shm', 'index.db-wal']);
    const running = await openIndexFile(scratchIn(beside).path, lanes.count);
    (await openIndexFile(path, lanes.count)).close();
    const parts = readdirSync(beside).filter((name) => name.endsWith('.part'));
    expect(parts).toHaveLength(1);
    expect(parts).not.toContain(left);
    running.close();
  });

  it('sorts on the disk what is as long as the ledger', async () => {
    const db = await openIndexFile(path, lanes.count);
    const onDisk = 1;
    expect(db.prepare('PRAGMA temp_store').get()).toEqual({ temp_store: onDisk });
    db.close();
  });

  it('is another for the same topics under another name, and for others under the same', () => {
    const paths = [indexPath('a', 'here'), indexPath('a', 'there'), indexPath('b', 'here')];
    expect(new Set(paths).size).toBe(3);
    expect(indexPath('a', 'here')).toBe(paths[0]);
  });
});
