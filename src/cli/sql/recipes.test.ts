import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openLedger } from '../../ledger/open.ts';
import { recipes } from '../../library/sql/recipes.ts';
import { History } from '../../projections/testing/history.ts';
import { placeWithTables } from '../runs/testing/looking.ts';
import { icecore, json, lines, temporaryFolder } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';

describe('icecore sql --recipe', () => {
  it('lists the recipes with their questions', async () => {
    const { look } = await placeWithTables();
    const { stdout } = await look('sql', '--recipe');
    expect(
      lines(stdout)
        .slice(1)
        .map((line) => line.split(' ')[0]),
    ).toEqual(recipes.map(({ name }) => name));
    expect(faultsAgainst('sql-recipes', json(await look('sql', '--recipe', '--json')))).toEqual([]);
  });

  it.each(recipes.map(({ name }) => [name]))('runs the recipe %s', async (name) => {
    const { look } = await placeWithTables();
    expect(await look('sql', '--quiet', '--recipe', name)).toMatchObject({ code: 0, stderr: '' });
  });

  it('queries the last run, or the named run or stage', async () => {
    const { look } = await placeWithTables();
    const last = await look('sql', '--recipe', 'families-by-stage');
    expect(last.stderr).toContain('How did each family do, stage by stage?');
    expect(last.stdout).toMatch(/^position +family +1 +2 +3$/m);
    for (const run of ['quiet', 'quiet-otter@2'])
      expect((await look('sql', '--recipe', 'families-by-stage', run)).stdout).toBe(last.stdout);
    const [second, third] = [
      await look('sql', '--recipe', 'stage-events', 'latest@2'),
      await look('sql', '--recipe', 'stage-events'),
    ];
    expect(second.stdout).toContain('ConfigAdopted');
    expect(third.stdout).not.toBe(second.stdout);
  });

  it('finds a run whose name another run has, too, by its identity', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, '.icecore'));
    const ledger = await openLedger(`sqlite:${join(cwd, '.icecore', 'ledger.db')}`, { create: true });
    for (const id of ['one000000000', 'two000000000']) {
      const run = new History(id);
      run.add('RunStarted', null, { name: 'same', environment: { name: 'maze' } });
      run.add('StageStarted', 1, {});
      await run.writeTo(ledger);
    }
    await ledger.close();
    const { stdout } = await icecore(['sql', '--recipe', 'stage-events', 'two000000000'], { cwd });
    expect(stdout).toContain('StageStarted');
  });

  it.each([
    [['--recipe', 'forgoten'], 'Did you mean forgotten?'],
    [['--recipe', 'forgotten', 'latest'], 'this recipe is about all runs'],
    [['--recipe', 'waits', 'nobody'], 'nobody'],
    [['--recipe', 'waits', '--path'], 'found --path and --recipe, allowed: one of them'],
    [['--recipe', 'waits', '--file', 'x.sql'], 'found --recipe and --file, allowed: one of them'],
  ])('rejects the arguments %j', async (words, message) => {
    const { look } = await placeWithTables();
    const { code, stderr } = await look('sql', ...words);
    expect(code).not.toBe(0);
    expect(stderr).toContain(message);
  });

  it('is completed in the shell with each recipe and its question', async () => {
    const { look } = await placeWithTables();
    const { stdout } = await look('__complete', '--', 'sql', '--recipe', 'fa');
    expect(stdout).toBe(
      'families-by-stage\tHow did each family do, stage by stage?\nfailures-by-stage\tWhat does each failure class do over the stages?\n',
    );
  });
});
