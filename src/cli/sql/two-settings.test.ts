// One ledger queried with two folders of settings, as a service and a shell of the same user may have.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { wholeRun } from '../../analysis/history/testing/recording.ts';
import { placeWith } from '../runs/testing/looking.ts';
import { icecore, type Ran, temporaryFolder } from '../testing/harness.ts';

it('two settings folders have separate tables of one ledger, and using one does not rebuild those of the other', async () => {
  const { cwd } = await placeWith(wholeRun());
  const settings = [temporaryFolder(), temporaryFolder()];
  const ask = (folder: string | undefined): Promise<Ran> =>
    icecore(['sql', 'SELECT run, done FROM runs', '--format', 'csv'], { cwd, env: { XDG_CONFIG_HOME: folder ?? '' } });
  const files = (): readonly string[] =>
    readdirSync(join(cwd, '.icecore', 'ledger.tables'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.duckdb'))
      .sort();
  const [first, second] = [await ask(settings[0]), await ask(settings[1])];
  expect([first.code, first.stderr]).toEqual([0, '']);
  expect(second).toEqual(first);
  const made = files();
  expect(made).toEqual([expect.stringMatching(/^settings-[0-9a-f]{8}\/tables-000001/), 'tables-000001.duckdb']);
  for (const folder of [...settings, ...settings]) expect(await ask(folder)).toEqual(first);
  expect(files()).toEqual(made);
});
