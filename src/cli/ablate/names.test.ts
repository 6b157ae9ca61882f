// An ablation has one name, and is found again by it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { tinySettings } from '../../producers/run/testing/tiny.ts';
import { lastingFolder } from '../demo/testing/demo.ts';
import { inFolder, json } from '../testing/harness.ts';

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

  it('is refused for another design, with what to do', async () => {
    for (const plan of [[], ['--plan']]) {
      const other = await look(...asked, '--context', 'failures', ...plan);
      expect(other).toMatchObject({ code: 1, stdout: '' });
      expect(other.stderr).toContain('an ablation called abl1 exists already');
      expect(other.stderr).toContain('Choose another --name.');
      expect(other.stderr).toContain('ablate --show abl1');
    }
    expect(await look('ablate', '--show', 'abl1')).toMatchObject({ code: 0 });
  });

  it('continues or shows the same design', async () => {
    const [first, again] = [json(await look('ablate', '--show', 'abl1', '--json')), await look(...asked, '--context', 'failures,stats', '--json')];
    expect(json(again)).toMatchObject({ ablation: first['ablation'], state: 'completed' });
    expect(await look(...asked.slice(0, -1), 'abl2', '--context', 'failures')).toMatchObject({ code: 0 });
  });
});
