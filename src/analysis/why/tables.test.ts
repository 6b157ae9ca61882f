// `why` reads run events, SQL queries read tables:
// both agree for any history.

import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { registry } from '../../../testbed/testing/registry.ts';
import { readRun } from '../../producers/history/reading.ts';
import { project } from '../../projections/projector/projector.ts';
import { inLedger } from '../../projections/testing/folded.ts';
import { randomHistory } from '../../projections/testing/random-history.ts';
import { hold } from '../../projections/warehouse/holding.ts';
import { listRuns } from '../history/runs.ts';
import { rowsByWhy } from './testing/answers.ts';
import { rowsByTables } from './testing/questions.ts';
import { whyOf } from './why.ts';

/** The computed parts; test/demo-pages.system.test.ts compares the rest on fixed histories. */
const titles = [
  'What changed, on which evidence, and with what effect',
  'What each evidence id refers to',
  'The learning signal of each family, before and after',
  'Rejected answers',
];

describe('the reasons for changes in random histories', () => {
  it('are the same from run events and from SQL tables', async () => {
    const property = fc.asyncProperty(randomHistory(4), async (world) => {
      await inLedger(world, async (ledger, folder) => {
        const { path } = await project(ledger, join(folder, 'ledger.tables'));
        const held = await hold(path, { access_mode: 'READ_ONLY' });
        try {
          const connection = await held.connect();
          const ask = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJS();
          for (const run of (await listRuns(ledger, { limit: 100 })).rows) {
            const read = await readRun(ledger, run);
            for (const stage of read.adoptions.keys()) {
              const why = await whyOf(ledger, read, stage, { registry: async () => registry });
              // Tables have the shared history of a fork under the run that recorded it.
              if (stage <= (read.parent?.stage ?? -1) + 1) continue;
              const [own, asked] = [rowsByWhy(why), await rowsByTables(ask, why, titles)];
              for (const title of titles) expect({ [title]: own[title] }).toEqual({ [title]: asked[title] });
            }
          }
        } finally {
          held.release();
        }
      });
    });
    await fc.assert(property, { numRuns: 1 });
  });
});
