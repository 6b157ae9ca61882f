// A whole run on a ledger in EventStoreDB that loses the first answer to every append: its results are those of a run in a file.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Loss } from '../ledger/eventstore/testing/faults.ts';
import { Ledgers } from '../ledger/eventstore/testing/ledgers.ts';
import { tinySettings } from '../producers/run/testing/tiny.ts';
import { inFolder, json, temporaryFolder } from './testing/harness.ts';

const run = ['run', '--file', 'run.json', '--programs', '--jobs', '1', '--name', 'tried'];

/** Makes the run; returns a query of its decisions and its amount of evidence. */
async function ran(ic: ReturnType<typeof inFolder>): Promise<() => Promise<unknown>> {
  expect(await ic('init')).toMatchObject({ code: 0 });
  expect(await ic(...run)).toMatchObject({ code: 0 });
  return async () => {
    expect(json(await ic('verify', '--json', '--recompute'))).toMatchObject({ status: 'sound' });
    const evidence = '(SELECT stage, count(*) AS evidence FROM rollouts GROUP BY ALL)';
    const sql = `SELECT stage, configuration, checkpoint_to, evidence FROM stages JOIN ${evidence} USING (stage) ORDER BY stage`;
    return json(await ic('sql', sql, '--json'))['rows'];
  };
}

describe('a run on a ledger in EventStoreDB', () => {
  const ledgers = new Ledgers();
  afterAll(() => ledgers.close());

  it('gives the same results as in a file if the first answer to every append is lost', async () => {
    const server = await ledgers.server();
    const cwd = temporaryFolder();
    const { name: _, ...settings } = tinySettings({ engineer: 'rules' });
    writeFileSync(join(cwd, 'run.json'), JSON.stringify(settings));
    const inFile = await ran(inFolder(cwd));
    for (const how of ['cut', 'restart'] as const satisfies Loss[]) {
      const env = { ICECORE_LEDGER: `esdb://${server.address}/tried_${how}?tls=false`, ICECORE_CACHE: ledgers.folder };
      server.faults.loseEveryAnswerOnce(how);
      const there = await ran(inFolder(cwd, { env }));
      server.faults.heal();
      expect(await there(), how).toEqual(await inFile());
    }
  });
});
