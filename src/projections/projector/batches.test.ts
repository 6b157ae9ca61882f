// For any content of events and any batches, the tables contain each event once.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { fileList } from '../../base/sql-quoting.ts';
import { noteIn, notesStream } from '../../ledger/contract/samples.ts';
import { openLedger } from '../../ledger/open.ts';
import { Tampering } from '../../ledger/sqlite/testing/tamper.ts';
import { emptyPlace, type ProjectedPlace } from '../testing/place.ts';
import { hold } from '../warehouse/holding.ts';
import { rowsOf } from './layout.ts';
import { project } from './projector.ts';

async function answer(path: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const held = await hold(path, { access_mode: 'READ_ONLY' });
  try {
    return await rowsOf(await held.connect(), sql);
  } finally {
    held.release();
  }
}

async function placeOf(events: readonly NewEvent[]): Promise<ProjectedPlace> {
  const place = await emptyPlace();
  await place.ledger.append(notesStream, events, { expect: 'any' });
  return place;
}

describe('batches', () => {
  it('keep texts of every kind unchanged', async () => {
    const texts = [
      'NUL \u0000 within',
      '😀',
      `'; DROP TABLE log.events; --`,
      '"quoted" \\ \n\r\t',
      '\u2028',
      'x'.repeat(900_000),
      '',
    ];
    const { ledger, tables } = await placeOf(
      texts.map((text, index) => noteIn(notesStream, index, `${index}: ${text}`)),
    );
    const { path } = await project(ledger, tables);
    const rows = await answer(path, 'SELECT note FROM notes ORDER BY note');
    expect(rows.map(({ note }) => note)).toEqual(texts.map((text, index) => `${index}: ${text}`));
  });

  it('with many long texts get more memory than usual', async () => {
    const texts = Array.from({ length: 120 }, (_, index) => noteIn(notesStream, index, `${index}`.repeat(100_000)));
    const { ledger, tables } = await placeOf(texts);
    const { path } = await project(ledger, tables, { memory: { usualMegabytes: 20, mostMegabytes: 300 } });
    expect(
      await answer(path, 'SELECT count(*)::INTEGER AS notes, min(length(note))::INTEGER AS shortest FROM notes'),
    ).toEqual([{ notes: 120, shortest: 100_000 }]);
  });

  it('that no memory suffices for are refused with what to do, and fit later', async () => {
    const texts = Array.from({ length: 120 }, (_, index) => noteIn(notesStream, index, `${index}`.repeat(100_000)));
    const { ledger, tables } = await placeOf(texts);
    const little = { memory: { usualMegabytes: 10, mostMegabytes: 20 } };
    await expect(project(ledger, tables, little)).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('cannot be filled with 20 MB of memory'),
      remedy: expect.stringContaining('a machine with more memory'),
    });
    const { path } = await project(ledger, tables);
    expect(await answer(path, 'SELECT count(*)::INTEGER AS notes FROM notes')).toEqual([{ notes: 120 }]);
  });

  it('have times in UTC, however they were written', async () => {
    const at = ['2026-01-02T03:04:05.678Z', '2026-01-02T05:04:05.678+02:00', '2026-01-01T21:34:05.678-05:30'];
    const { ledger, tables } = await placeOf(
      at.map((moment, index) => ({ ...noteIn(notesStream, index), at: moment })),
    );
    const { path } = await project(ledger, tables);
    const rows = await answer(path, 'SELECT DISTINCT happened_at::VARCHAR AS at FROM events');
    expect(rows).toEqual([{ at: '2026-01-02 03:04:05.678' }]);
  });

  it('are read from their own path, even if it looks like a pattern', async () => {
    const parent = mkdtempSync(join(tmpdir(), 'icecore-batches-'));
    onTestFinished(() => rmSync(parent, { recursive: true }));
    const names = ['a[1]', 'a1', 'b*', 'b?', 'bc', '[!a]', 'd{1,2}', "it's"];
    for (const name of names) writeFileSync(join(parent, name), JSON.stringify({ name }));
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    for (const name of names) {
      const file = fileList([join(parent, name)]);
      expect(await rowsOf(connection, `SELECT name FROM read_json(${file}, columns = {name: 'VARCHAR'})`)).toEqual([
        { name },
      ]);
    }
    connection.closeSync();
    instance.closeSync();
  });

  it('continue after an event that is damaged, of an unknown type, or of a newer version', async () => {
    const { folder, ledger, tables } = await placeOf(
      Array.from({ length: 5 }, (_, index) => noteIn(notesStream, index)),
    );
    await ledger.close();
    const path = join(folder, 'ledger.db');
    const tampering = new Tampering(path);
    const [, second, third, fourth] = tampering.bodies();
    const rewrite = (event: typeof second, change: (body: string) => string): void => {
      if (event !== undefined)
        tampering.rewrite(event.position, Buffer.from(change(event.body.toString())), event.digest);
    };
    rewrite(second, (body) => body.slice(0, 40));
    rewrite(third, (body) => body.replaceAll('RunAnnotated', 'RunForetold'));
    rewrite(fourth, (body) => body.replace('"version":1}', '"version":99}'));
    tampering.close();
    const damaged = await openLedger(`sqlite:${path}`, { readOnly: true });
    const done = await project(damaged, tables);
    await damaged.close();
    expect(done).toMatchObject({ events: 5, added: 5, unread: 1 });
    expect(
      await answer(done.path, 'SELECT revision::INTEGER AS revision, version, type FROM events ORDER BY 1'),
    ).toEqual([
      { revision: 0, version: 1, type: 'RunAnnotated' },
      { revision: 2, version: 1, type: 'RunForetold' },
      { revision: 3, version: 99, type: 'RunAnnotated' },
      { revision: 4, version: 1, type: 'RunAnnotated' },
    ]);
  });
});
