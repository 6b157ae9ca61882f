import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { Recording, wholeRun } from '../src/analysis/history/testing/recording.ts';
import { placeWith } from '../src/cli/runs/testing/looking.ts';
import { icecore, json } from '../src/cli/testing/harness.ts';
import { acme } from './command.ts';

it('docs/plugins.md contains this command', () => {
  const guide = readFileSync(new URL('../docs/plugins.md', import.meta.url), 'utf8');
  expect(guide).toContain(readFileSync(new URL('./command.ts', import.meta.url), 'utf8'));
});

it('it lists unfinished runs and the command that resumes each', async () => {
  const half = new Recording('half');
  half.add('RunStarted', null, { name: 'half', environment: { name: 'lake' }, stages: 2 });
  const { cwd } = await placeWith(wholeRun(), half);
  const run = (...options: string[]) => icecore(['acme', 'unfinished', ...options], { cwd, plugins: [acme] });
  const shown = await run();
  expect(shown).toMatchObject({ code: 1, stdout: 'run   complete stages\nhalf                0\n' });
  expect(shown.stderr).toMatch(/icecore resume half\n$/);
  expect(json(await run('--json'))).toMatchObject({ rows: [{ name: 'half', done: 0 }] });
  expect(await run('--stages', '1')).toEqual({ code: 0, stdout: '', stderr: '' });
});
