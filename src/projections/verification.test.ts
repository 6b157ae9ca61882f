// Tables that differ from the ledger are named; verification changes nothing.
import { lstatSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, it } from 'vitest';
import { filledPlace, recordAsOwn } from './testing/place.ts';
import { lookAtTables, verifyTables } from './verification.ts';
import { ownRecords } from './warehouse/provenance.ts';

const options = { trust: ownRecords, signal: new AbortController().signal };

async function change(path: string, ...statements: readonly string[]): Promise<void> {
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  for (const statement of statements) await connection.run(statement);
  connection.closeSync();
  instance.closeSync();
}

describe('tables', () => {
  it('that icecore filled equal a new fill', async () => {
    const { ledger, tables, path } = await filledPlace();
    expect(await lookAtTables(ledger, tables, options)).toEqual({ path, compared: 0, faults: [] });
    const before = lstatSync(path).mtimeMs;
    const verified = await verifyTables(ledger, tables, options);
    expect(verified?.faults).toEqual([]);
    expect(verified?.compared).toBeGreaterThan(20);
    expect(lstatSync(path).mtimeMs).toBe(before);
  });

  it('that were changed are named, with their numbers of rows', async () => {
    const { ledger, tables, path } = await filledPlace();
    await change(path, 'UPDATE log.rollouts SET reward = 0.99', 'DELETE FROM log.notes');
    expect((await lookAtTables(ledger, tables, options))?.faults).toMatchObject([{ kind: 'altered', where: path }]);
    const faults = (await verifyTables(ledger, tables, options))?.faults ?? [];
    expect(faults.map(({ kind, where }) => `${kind} ${where}`).sort()).toEqual(['differ notes', 'differ rollouts']);
    expect(faults.every(({ says }) => says.includes('icecore tables refresh --rebuild'))).toBe(true);
  });

  it('with an event that the ledger does not have are outdated, even if their last event is the same', async () => {
    const { ledger, tables, path } = await filledPlace();
    await change(path, "UPDATE log.rollouts SET digest = repeat('0', 64) WHERE rowid = 0");
    recordAsOwn(ledger, path);
    expect((await lookAtTables(ledger, tables, options))?.faults).toMatchObject([{ kind: 'outdated', where: path }]);
  });
});
