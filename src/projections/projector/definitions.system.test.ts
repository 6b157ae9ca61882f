// Tables follow their definitions: a table with a changed definition is refilled automatically; the others keep their
// rows.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tableDigests } from '../digests.ts';
import { lookInto } from '../table-state.ts';
import { type FilledPlace, filledPlace, recordAsOwn } from '../testing/place.ts';
import { fillingIn, hold } from '../warehouse/holding.ts';
import { rowsOf } from './layout.ts';
import { project } from './projector.ts';

async function inFile(
  { ledger, path }: Pick<FilledPlace, 'ledger' | 'path'>,
  ...statements: readonly string[]
): Promise<void> {
  const held = await hold(path, fillingIn(path));
  const connection = await held.connect();
  for (const statement of statements) await connection.run(statement);
  held.release();
  recordAsOwn(ledger, path);
}

async function answer(path: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const held = await hold(path, { access_mode: 'READ_ONLY' });
  try {
    return await rowsOf(await held.connect(), sql);
  } finally {
    held.release();
  }
}

/** The file of a version with other tables: one with other columns, a removed one, a changed view. */
const otherDefinitions = [
  "UPDATE log.definitions SET digest = 'another' WHERE name = 'rollouts'",
  'DELETE FROM log.rollouts',
  'ALTER TABLE log.rollouts ALTER sample TYPE VARCHAR',
  "UPDATE log.definitions SET digest = 'another' WHERE name IN ('stages', 'proposals')",
  'DELETE FROM log.stages',
  'CREATE TABLE log.former (x INTEGER)',
  "INSERT INTO log.definitions VALUES ('former', 'digest', ['former'])",
  'CREATE OR REPLACE VIEW notes AS SELECT 1 AS other',
  "UPDATE log.meta SET views = 'others'",
  // Would be gone if the table were refilled.
  "INSERT INTO log.notes (note) VALUES ('kept')",
];

describe('tables with outdated definitions', () => {
  it('are refilled automatically; removed ones are dropped; views are current', async () => {
    const { ledger, tables, path } = await filledPlace();
    const expected = await tableDigests(path, 'tables');
    await inFile({ ledger, path }, ...otherDefinitions);
    expect(await project(ledger, tables)).toMatchObject({
      path,
      built: null,
      added: 0,
      remade: ['stages', 'proposals', 'rollouts'],
    });
    const { 'log.notes': notes, ...others } = await tableDigests(path, 'tables');
    const { 'log.notes': notesBefore, ...othersBefore } = expected;
    expect(others).toEqual(othersBefore);
    expect(notes).not.toBe(notesBefore);
    expect(await answer(path, 'SELECT sample FROM rollouts WHERE sample IS NOT NULL LIMIT 1')).toHaveLength(1);
    expect(await answer(path, 'SELECT count(note) AS said FROM notes')).toHaveLength(1);
    expect(await project(ledger, tables)).toMatchObject({ remade: [] });
  });

  it('have each event once, refilled or not, if a store delivers some again', async () => {
    const { ledger, folder, path, events } = await filledPlace();
    const tables = join(folder, 'again.tables');
    const pages = ledger.readAll.bind(ledger);
    ledger.readAll = async function* (options) {
      for await (const page of pages(options)) {
        yield page;
        if (options?.limit === undefined) yield page.slice(0, 40);
      }
    };
    const limits = { events: 60, characters: 1_000_000 };
    const first = await project(ledger, tables, { limits });
    expect(first).toMatchObject({ events, added: events, unread: 0 });
    const { 'log.cursors': _, ...expected } = await tableDigests(path, 'tables');
    expect(await tableDigests(first.path, 'tables')).toMatchObject(expected);
    await inFile(
      { ledger, path: first.path },
      "UPDATE log.definitions SET digest = 'another' WHERE name IN ('rollouts', 'events')",
    );
    const again = await project(ledger, tables, { limits });
    expect(again).toMatchObject({ remade: ['rollouts', 'events'], events, added: 0 });
    expect(await tableDigests(again.path, 'tables')).toMatchObject(expected);
  });

  it('are unusable when refilling is interrupted, until it is repeated', async () => {
    const { ledger, tables, path } = await filledPlace();
    const expected = await tableDigests(path);
    await inFile(
      { ledger, path },
      "UPDATE log.definitions SET digest = 'another' WHERE name IN ('rollouts', 'events')",
    );
    const pages = ledger.readAll.bind(ledger);
    const stop = new AbortController();
    ledger.readAll = async function* (options) {
      for await (const page of pages(options)) {
        yield page.slice(0, 60);
        // The last event in the tables is requested with a limit.
        if (options?.limit === undefined) stop.abort();
        yield page.slice(60);
      }
    };
    const limits = { events: 40, characters: 1_000_000 };
    await expect(project(ledger, tables, { signal: stop.signal, limits })).rejects.toThrow(/abort/i);
    ledger.readAll = pages;
    expect(await lookInto(ledger, path, {})).toEqual({ is: 'of other definitions' });
    expect(await project(ledger, tables)).toMatchObject({ path, built: null, remade: ['rollouts', 'events'] });
    expect(await tableDigests(path)).toEqual(expected);
  });
});
