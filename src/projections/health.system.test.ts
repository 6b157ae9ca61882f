// All states of tables are distinguished, and checking changes nothing.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findTables, type Health } from './health.ts';
import { rowsOf } from './projector/layout.ts';
import { project } from './projector/projector.ts';
import { type ProjectedPlace, recordAsOwn, variedPlace } from './testing/place.ts';
import { writeRollouts } from './testing/varied.ts';
import { fillingIn, hold } from './warehouse/holding.ts';

async function healthOf({ ledger, tables }: ProjectedPlace): Promise<Health | undefined> {
  return (await findTables(ledger.url, () => tables))?.health;
}

const keeping = `
const { DuckDBInstance } = require(process.argv[1]);
DuckDBInstance.create(process.argv[2]).then((instance) => {
  process.stdout.write('kept');
  process.stdin.resume().on('end', () => instance.closeSync());
});`;

/** Another process that has the file open to write, until the returned function is called. */
async function keptByAnother(path: string): Promise<() => Promise<void>> {
  const binding = createRequire(import.meta.url).resolve('@duckdb/node-api');
  const child = spawn(process.execPath, ['-e', keeping, binding, path], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  return async () => {
    child.stdin.end();
    await ended;
  };
}

describe('tables', () => {
  it('are reported in each state, from missing to unusable', async () => {
    const place = await variedPlace();
    const { ledger, tables } = place;
    expect(await healthOf(place)).toBeUndefined();
    const { path } = await project(ledger, tables);
    expect(await healthOf(place)).toEqual({ is: 'behind', by: 0 });
    const { events } = await ledger.head();
    await writeRollouts(ledger, 9000, 3);
    expect(await healthOf(place)).toEqual({ is: 'behind', by: (await ledger.head()).events - events });

    const letGo = await keptByAnother(path);
    expect(await healthOf(place)).toEqual({ is: 'in use' });
    await letGo();

    const held = await hold(path, fillingIn(path));
    await rowsOf(await held.connect(), "UPDATE log.meta SET views = 'others'");
    held.release();
    recordAsOwn(ledger, path);
    expect(await healthOf(place)).toEqual({ is: 'of other definitions' });

    writeFileSync(path, 'Remember the milk.');
    expect(await healthOf(place)).toMatchObject({ is: 'refused' });
    recordAsOwn(ledger, path);
    expect(await healthOf(place)).toEqual({ is: 'unusable' });
  });
});
