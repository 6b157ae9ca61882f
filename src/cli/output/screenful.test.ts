// The commands that explain a run answer in a screenful: on a real run, each prints at most 25 lines, hints included.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { tinySettings } from '../../producers/run/testing/tiny.ts';
import { lastingFolder } from '../demo/testing/demo.ts';
import { inFolder, lines } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';

const screen = 25;

describe('the output for a recorded run fits 25 lines:', () => {
  const folder = lastingFolder();
  beforeAll(async () => {
    const { name: _, ...settings } = tinySettings({ stages: 3, engineer: 'rules' });
    writeFileSync(join(folder, 'run.json'), JSON.stringify(settings));
    const ran = await inFolder(folder)('run', '--file', 'run.json', '--name', 'mine', '--quiet');
    expect(ran).toMatchObject({ code: 0 });
  });

  it.each([
    ['show mine'],
    ['show mine@2'],
    ['why mine@2'],
    ['diff mine@2'],
    ['compare mine@1 mine@3'],
    ['ablate mine@2 --engineer rules --context failures,stats,behaviour'],
    ['verify'],
    ['verify mine --recompute'],
  ])('icecore %s', async (typed) => {
    const words = typed.split(' ');
    const short = await inFolder(folder, { terminal: 100 })(...words);
    expect(short.code).toBe(0);
    const shown = lines(short.stdout);
    expect(shown.length + lines(short.stderr).length, short.stdout).toBeLessThanOrEqual(screen);
    expect(shown[0]?.trim(), 'the answer comes first').not.toBe('');
    const whole = await inFolder(folder, { terminal: 100 })(...words, '--verbose');
    expect(whole.code).toBe(0);
    expect(lines(whole.stdout).length).toBeGreaterThanOrEqual(shown.length);
  });

  it('icecore why of one knob, with a drawing of the failed rollout behind its change', async () => {
    const { stdout } = await inFolder(folder)('why', 'mine@2', '--json', '--detail', '4');
    const { changes } = JSON.parse(stdout) as {
      readonly changes: readonly { readonly knob: string; readonly evidence: readonly { exemplars: string[] }[] }[];
    };
    const drawn = changes.find(({ evidence }) => evidence.some(({ exemplars }) => exemplars.length > 0));
    const one = await inFolder(folder)('why', 'mine@2', drawn?.knob ?? '');
    expect(one.stdout).toMatch(/A failed rollout (?:behind \S+, example \d+ of the context|cited for it as F\d+):/);
    expect(one.stdout).toContain('╭');
  });
});

describe('icecore why of a change without a rollout that the engineer was shown', () => {
  const folder = lastingFolder();
  const look = inFolder(folder, { terminal: 100 });
  beforeAll(async () => {
    const { name: _, ...settings } = tinySettings({ engineer: 'rules', context: 'training,stats,behaviour' });
    writeFileSync(join(folder, 'run.json'), JSON.stringify(settings));
    expect(await look('run', '--file', 'run.json', '--name', 'blind', '--quiet')).toMatchObject({ code: 0 });
  });

  it('draws a failed rollout of its family as an example not shown to the engineer', async () => {
    const [command, ...words] = ['why', 'blind@2', '3.data'] as const;
    const short = await look(command, ...words);
    expect(short.code).toBe(0);
    expect(short.stdout).toMatch(/^As an example, a failed rollout of family 3 not shown to the engineer: stage 1, /m);
    expect(short.stdout).toContain('╭');
    expect(lines(short.stdout).length + lines(short.stderr).length, short.stdout).toBeLessThanOrEqual(screen);
    const event = /icecore event show (evidence-[\w-]+@\d+)/.exec(short.stdout)?.[1] ?? '';
    const recorded = JSON.parse((await look('event', 'show', event, '--json')).stdout) as { readonly data: unknown };
    expect(recorded).toMatchObject({ type: 'RolloutRecorded', data: { split: 'probe', family: '3', success: false } });
    expect((await look(command, ...words)).stdout).toBe(short.stdout);
    expect((await look(command, ...words, '--verbose')).stdout).toContain(
      'family 3 not shown to the engineer: stage 1, ',
    );
  });

  it('is suggested by icecore why of all changes', async () => {
    const { stderr } = await look('why', 'blind@2');
    expect(stderr).toMatch(/one knob in detail {2}\S*.*why blind@2 \S+$/m);
  });

  it('marks the example in JSON as not shown', async () => {
    const why = JSON.parse((await look('why', 'blind@2', '3.data', '--json')).stdout) as { readonly uncited: unknown };
    expect(why.uncited).toMatchObject({ evidenceId: null, wasShown: false, family: '3', stage: 1, split: 'probe' });
    expect(faultsAgainst('why', why)).toEqual([]);
  });
});
