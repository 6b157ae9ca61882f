// A single odd event breaks no table: numbers may be as large as the schemas allow.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, it } from 'vitest';
import { checkEvent, type EventData } from '../../../schemas/catalogue.ts';
import { type Golden, golden, goldenFiles } from '../../../schemas/testing/golden.ts';
import { eventIds } from '../../ledger/identity/ids.ts';
import { openLedger } from '../../ledger/open.ts';
import { project } from '../projector/projector.ts';
import { configuration, History, tablesOf } from '../testing/history.ts';
import { tableDefinitions } from './catalogue.ts';

const enormous = 1e300;

/** All changeable numbers of its data: enormous, or the largest allowed integer. */
function enlarged({ stream, event }: Golden, amount: number): Golden {
  const data = structuredClone(event.data);
  const enlarge = (part: object): void => {
    for (const [key, value] of Object.entries(part)) {
      if (typeof value === 'object' && value !== null) enlarge(value);
      // Events of other stages are not joined with anything.
      if (typeof value !== 'number' || /stage|revision/i.test(key)) continue;
      const allowed = [amount, enormous, Number.MAX_SAFE_INTEGER].find((large) => {
        Object.assign(part, { [key]: large });
        return checkEvent(stream, { ...event, data }).length === 0;
      });
      Object.assign(part, { [key]: allowed ?? value });
    }
  };
  enlarge(data);
  return { stream, event: { ...event, data } };
}

it('every table can be queried however large the numbers in events are', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-tables-'));
  const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`, { create: true });
  // In the stages before and after as well, so that they are compared with each other.
  const ids = eventIds({ run: 'k3v9q2m8x1tz', stage: 0, kind: 119 });
  let made = 0;
  for (const [times, later] of [0, 0, 1].entries()) {
    for (const name of goldenFiles) {
      const { stream, event } = enlarged(golden(name), times === 1 ? -Number.MAX_VALUE : Number.MAX_VALUE);
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

it('gains that are too large have no spread and no interval', async () => {
  const adopted = (level: number, proposal: string | null): EventData['ConfigAdopted'] => ({
    by: proposal === null ? 'initial' : 'engineer',
    configuration: configuration({ 'big.level': level }),
    ...{ proposal, context: null, previous: null, changes: [], kept: null, clamps: [], rationale: null },
  });
  const judged = (value: number): EventData['EvaluationRecorded'] => ({
    ...{ suite: { name: 'all' }, split: 'validation', rollouts: 10 },
    results: [null, 'big', 'small'].map((family) => ({
      family,
      measure: 'valid',
      value: family === 'small' ? 0.5 : value,
    })),
  });
  const begun = (id: string, after: number): History => {
    const run = new History(id);
    run.add('RunStarted', null, { name: id, environment: { name: 'maze' } });
    run.add('ConfigAdopted', 1, adopted(0.1, null));
    run.add('StageStarted', 1, {});
    run.add('EvaluationRecorded', 1, judged(0.5));
    const proposal = run.add('ProposalRecorded', 2, {
      ...{ engineer: { name: 'gpt' }, context: null, configuration: configuration({ 'big.level': 0.2 }) },
      ...{ changes: [], clamps: [], kept: null, rationale: null, predictions: null },
    });
    run.add('ConfigAdopted', 2, adopted(0.2, proposal));
    run.add('StageStarted', 2, {});
    run.add('EvaluationRecorded', 2, judged(after));
    return run;
  };
  const ask = await tablesOf([begun('first0000000', 1e300), begun('second000000', -1e300)]);
  expect(await ask('SELECT gains, gain_spread FROM engineer_scorecard')).toEqual([{ gains: 2, gain_spread: null }]);
  expect(await ask("SELECT changes, gain_low, difference_low FROM knob_effects WHERE family = 'big'")).toEqual([
    { changes: 2, gain_low: null, difference_low: null },
  ]);
});
