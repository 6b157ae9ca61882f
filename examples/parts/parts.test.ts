// The plugin examples of docs/plugins.md are these files, and they work.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contextModuleContract, projectionContract } from 'icecore/testing';
import { expect, it } from 'vitest';
import { inFolder, json, temporaryFolder } from '../../src/cli/testing/harness.ts';
import { parity } from '../parity.ts';
import { tables } from './csv.ts';
import { gpus, throttled, throttling } from './throttling.ts';
import { trend, trends } from './trend.ts';

projectionContract(throttling, throttled, [
  { gpu: 0, celsius: 91 },
  { gpu: 1, celsius: 93.5, fan: { rpm: 4200 } },
]);
contextModuleContract(trend, { on: parity });

it.each(['throttling', 'trend', 'csv'])('docs/plugins.md contains %s.ts', (name) => {
  const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
  expect(read('../../docs/plugins.md')).toContain(read(`./${name}.ts`));
});

it('they can be registered together', async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'log.csv'), 'mine;1;a;true\nmine;2;a;false\n');
  const ic = inFolder(cwd, { plugins: [gpus, trends, tables] });
  const imported = await ic('import', 'csv', 'log.csv', '--set', 'delimiter=;', '--json');
  expect(json(imported)).toMatchObject({ records: 2, runs: [{ name: 'mine', stages: 2 }] });
  const context = json(await ic('context', 'mine@3', '--context', 'acme.trend', '--json')) as {
    text: { text: string };
  };
  expect(context.text.text).toContain('# acme.trend: what the last stage changed, family by family');
  expect((await ic('list', 'tables', 'acme_throttling')).stdout).toContain('the speed of its fan');
});
