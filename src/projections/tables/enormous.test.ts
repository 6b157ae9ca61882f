// One odd event makes no table fail: numbers may be as large as the schemas let them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, it } from 'vitest';
import { checkEvent } from '../../../schemas/catalogue.ts';
import { type Golden, golden, goldenFiles } from '../../../schemas/testing/golden.ts';
import { eventIds } from '../../ledger/identity/ids.ts';
import { openLedger } from '../../ledger/open.ts';
import { project } from '../projector/projector.ts';
import { tableDefinitions } from './catalogue.ts';

const enormous = 1e300;

/** Each number of its data that may be another: enormous, or as large as a whole number gets. */
function stretched({ stream, event }: Golden, amount: number): Golden {
  const data = structuredClone(event.data);
  const stretch = (part: object): void => {
    for (const [key, value] of Object.entries(part)) {
      if (typeof value === 'object' && value !== null) stretch(value);
      // What is of another stage is joined with nothing.
      if (typeof value !== 'number' || /stage|revision/i.test(key)) continue;
      const allowed = [amount, enormous, Number.MAX_SAFE_INTEGER].find((large) => {
        Object.assign(part, { [key]: large });
        return checkEvent(stream, { ...event, data }).length === 0;
      });
      Object.assign(part, { [key]: allowed ?? value });
    }
  };
  stretch(data);
  return { stream, event: { ...event, data } };
}

it('shows every table however large the numbers are', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-tables-'));
  const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`, { create: true });
  // In the stages before and after as well, so that one is held against the other.
  const ids = eventIds({ run: 'k3v9q2m8x1tz', stage: 0, kind: 119 });
  let made = 0;
  for (const [times, later] of [0, 0, 1].entries()) {
    for (const name of goldenFiles) {
      const { stream, event } = stretched(golden(name), times === 1 ? -Number.MAX_VALUE : Number.MAX_VALUE);
      const moved = { ...event, id: ids(made++), stage: event.stage === null ? null : event.stage + later };
      if (checkEvent(stream, moved).length === 0) await ledger.append(stream, [moved], { expect: 'any' });
    }
  }
  const { path } = await project(ledger, join(folder, 'ledger.tables'));
  await ledger.close();
  const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  const failed: string[] = [];
  for (const { name, columns } of tableDefinitions()) {
    if (columns.length === 0) continue;
    await connection.runAndReadAll(`SELECT * FROM ${name}`).catch((error) => failed.push(`${name}: ${error}`));
  }
  connection.closeSync();
  instance.closeSync();
  rmSync(folder, { recursive: true, force: true });
  expect(failed).toEqual([]);
});
