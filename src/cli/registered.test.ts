import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { presetNames } from '../producers/contexts/forms.ts';
import { inFolder, json, lines, temporaryFolder } from './testing/harness.ts';
import { faultsAgainst } from './testing/published.ts';

const rowsOf = (ran: Parameters<typeof json>[0]) => json(ran)['rows'] as Record<string, unknown>[];

describe('icecore list', () => {
  it('engineers lists the built-in ones and the models of the settings', async () => {
    const cwd = temporaryFolder();
    const models = { qwen: { url: 'http://localhost:8000/v1', model: 'Qwen/Qwen3-4B' } };
    writeFileSync(join(cwd, 'icecore.config.json'), JSON.stringify({ models }));
    const shown = lines((await inFolder(cwd)('list', 'engineers')).stdout);
    expect(shown).toContainEqual(expect.stringMatching(/^rules +icecore +follows fixed rules/));
    expect(shown).toContainEqual(expect.stringMatching(/^qwen +icecore\.config\.json +asks the model Qwen\/Qwen3-4B$/));
    const ran = await inFolder(cwd)('list', 'engineers', '--json');
    expect(faultsAgainst('list-engineers', json(ran))).toEqual([]);
    expect(shown[0]).toMatch(/^engineer +from +what it does$/);
    expect(rowsOf(ran)).toHaveLength(shown.length - 1);
  });

  it('contexts lists every form and every module', async () => {
    const ran = await inFolder(temporaryFolder())('list', 'contexts', '--json');
    expect(faultsAgainst('list-contexts', json(ran))).toEqual([]);
    const forms = rowsOf(ran).filter(({ kind }) => kind === 'form');
    expect(forms.map(({ name }) => name)).toEqual(presetNames);
    expect(lines((await inFolder(temporaryFolder())('list', 'contexts')).stdout)).toHaveLength(rowsOf(ran).length + 1);
  });

  it('environments lists the built-in ones with their families', async () => {
    const ran = await inFolder(temporaryFolder())('list', 'environments', '--json');
    expect(faultsAgainst('list-environments', json(ran))).toEqual([]);
    expect(rowsOf(ran)).toMatchObject([
      { name: 'lake', from: 'testbed', families: expect.arrayContaining(['8']) },
      { name: 'dungeon', from: 'testbed', families: expect.arrayContaining(['north']) },
      { name: 'catacomb', from: 'testbed' },
    ]);
  });

  it('tables lists every table, or the columns of one', async () => {
    const run = inFolder(temporaryFolder());
    const all = await run('list', 'tables', '--json');
    expect(faultsAgainst('list-tables', json(all))).toEqual([]);
    const one = await run('list', 'tables', 'rollouts', '--json');
    expect(rowsOf(one)).toMatchObject([{ name: 'rollouts' }]);
    expect((await run('list', 'tables', 'rollouts')).stdout).toContain('outcome');
    expect(await run('list', 'tables', 'rolouts')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean rollouts?'),
    });
  });
});
