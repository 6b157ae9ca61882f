// An ablation has one name, and is found again by it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { tinySettings } from '../../producers/run/testing/tiny.ts';
import { lastingFolder } from '../demo/testing/demo.ts';
import { inFolder, json, lines } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';

describe('the name of an ablation', () => {
  const folder = lastingFolder();
  const asked = ['ablate', 'mine@2', '--engineer', 'rules', '--baselines', 'uniform,actual', '--name', 'abl1'];
  const look = async (...words: string[]) => await inFolder(folder)(...words);
  beforeAll(async () => {
    const { name: _, ...settings } = tinySettings({ engineer: 'rules' });
    writeFileSync(join(folder, 'run.json'), JSON.stringify(settings));
    expect(await look('run', '--file', 'run.json', '--name', 'mine', '--quiet')).toMatchObject({ code: 0 });
    expect(await look(...asked, '--context', 'failures,stats')).toMatchObject({ code: 0 });
  });

  it('is refused for a different design, with advice on what to do', async () => {
    for (const plan of [[], ['--plan']]) {
      const other = await look(...asked, '--context', 'failures', ...plan);
      expect(other).toMatchObject({ code: 1, stdout: '' });
      expect(other.stderr).toContain('an ablation called abl1 exists already');
      expect(other.stderr).toContain('Choose another --name.');
      expect(other.stderr).toContain('ablate --show abl1');
    }
    expect(await look('ablate', '--show', 'abl1')).toMatchObject({ code: 0, stderr: '' });
  });

  it('with --show takes no options that would change the ablation', async () => {
    for (const more of [['--contrast', 'failures:stats'], ['--plan'], ['--seed', '1-3']]) {
      const ran = await look('ablate', '--show', 'abl1', ...more);
      expect(ran).toMatchObject({ code: 2, stdout: '' });
      expect(ran.stderr).toContain('found other options together with --show');
    }
    expect(await look('ablate', '--show', 'abl1', '--verbose', '--format', 'md')).toMatchObject({
      code: 0,
      stderr: '',
    });
  });

  it('may be abbreviated after --show, and a note names the ablation shown', async () => {
    expect(await look('ablate', '--show', 'ab')).toMatchObject({ code: 0, stderr: 'ab: taken as abl1\n' });
  });

  it('with the same design returns the recorded ablation', async () => {
    const [first, again] = [
      json(await look('ablate', '--show', 'abl1', '--json')),
      await look(...asked, '--context', 'failures,stats', '--json'),
    ];
    expect(json(again)).toMatchObject({ ablation: first['ablation'], state: 'completed' });
    expect(await look(...asked.slice(0, -1), 'abl2', '--context', 'failures')).toMatchObject({ code: 0 });
  });

  it('is listed by icecore list ablations, newest first, with the state and the conclusion', async () => {
    const { stdout } = await look('list', 'ablations');
    const [title, ...rows] = lines(stdout);
    expect(title).toMatch(/^ablation +of +depth +arms +seeds +state +conclusion$/);
    expect(rows.filter((row) => row.startsWith('abl')).map((row) => row.split(' ')[0])).toEqual(['abl2', 'abl1']);
    expect(stdout).toMatch(/^abl1 +mine@2 +propose +4 +1 +completed +rules /m);
    const list = json(await look('list', 'ablations', '--json'));
    expect(faultsAgainst('list-ablations', list)).toEqual([]);
    expect(list).toMatchObject({
      total: 2,
      rows: [
        { name: 'abl2' },
        { name: 'abl1', seeds: 1, state: 'completed', conclusion: expect.stringContaining('rules') },
      ],
    });
    const nothing = await inFolder(lastingFolder())('list', 'ablations');
    expect(nothing.code).toBe(1);
  });

  it('in place of a run is an error that suggests ablate --show', async () => {
    for (const words of [
      ['show', 'abl1'],
      ['why', 'abl1@2'],
      ['report', 'abl1'],
      ['ablate', 'abl1'],
    ]) {
      const asked = await look(...words);
      expect(asked).toMatchObject({ code: 1, stdout: '' });
      expect(asked.stderr).toContain('abl1 is an ablation, not a run');
      expect(asked.stderr).toContain('ablate --show abl1');
    }
    expect((await look('show', 'abl9')).stderr).toContain('there is no run "abl9"');
    expect((await look('__complete', '--', 'ablate', '--show', 'ab')).stdout).toContain('abl1');
  });
});
