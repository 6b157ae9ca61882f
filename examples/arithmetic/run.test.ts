// Runs with a user's own environment and trainer, in this process.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineEngineer, defineEnvironment, definePlugin, type EnvironmentEntry, registryOf } from 'icecore/plugins';
import { afterAll, describe, expect, it } from 'vitest';
import { inFolder, json, temporaryFolder } from '../../src/cli/testing/harness.ts';
import { engineers } from '../../src/lab/engineers/registry.ts';
import { arithmetic } from './environment.ts';
import { plugin } from './plugin.ts';

const settings = {
  ...{ environment: 'arithmetic', trainer: 'practice', engineer: 'rules', suites: ['short'] },
  ...{ stages: 3, validation: 20, perCell: 1, samples: 1, trained: 20 },
};

/** The arguments that start the run. */
function runIn(folder: string): readonly string[] {
  writeFileSync(join(folder, 'run.json'), JSON.stringify(settings));
  return ['run', '--file', 'run.json', '--name', 'sums', '--json'];
}

describe('a run on an environment of a plugin', () => {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-plugins-'));
  const ic = inFolder(folder, { plugins: [plugin] });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('uses the default policy and budget, and completes its stages', async () => {
    const ran = await ic(...runIn(folder));
    expect(ran).toMatchObject({ code: 0 });
    const shown = json(await ic('show', 'sums', '--json'));
    expect(shown).toMatchObject({ name: 'sums', state: 'completed' });
    expect(shown['stages']).toHaveLength(3);
    const why = json(await ic('why', 'sums@2', '--json'));
    expect(why).toMatchObject({ environment: 'arithmetic' });
  });

  it('is recomputed, rollout by rollout', async () => {
    const verified = await ic('verify', 'sums', '--recompute', '--json');
    expect(verified.code).toBe(0);
    const { recomputed } = json(verified) as { recomputed?: object };
    expect(recomputed).toBeDefined();
  });

  it('is listed with the others', async () => {
    const { rows } = json(await ic('list', 'environments', '--json')) as { rows: { name: string; knobs: string[] }[] };
    expect(rows.map(({ name }) => name)).toEqual(['lake', 'dungeon', 'catacomb', 'arithmetic']);
    expect(rows.at(-1)?.knobs).toContain('chains.digits');
  });

  it('is refused without the plugin, with the environments that exist', async () => {
    const place = temporaryFolder();
    const ran = await inFolder(place)(...runIn(place));
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('there is no environment "arithmetic"');
    expect(ran.stderr).toContain('There are lake, dungeon and catacomb;');
  });
});

describe('an invalid plugin', () => {
  function broken(change: Partial<EnvironmentEntry>): EnvironmentEntry {
    const [arithmetic] = plugin.environments;
    return { ...arithmetic, ...change };
  }

  it.each([
    ['throws when it is opened', broken({ open: async () => Promise.reject(new Error('no licence')) }), 'no licence'],
    ['opens nothing', broken({ open: async () => ({}) as never }), 'descriptor: found nothing'],
  ])('that %s is named with its environment, and nothing is started', async (_, environment, says) => {
    const acme = definePlugin({ name: 'acme', environments: [environment], trainers: plugin.trainers });
    const place = temporaryFolder();
    const ic = inFolder(place, { plugins: [acme] });
    const ran = await ic(...runIn(place));
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('the environment arithmetic of the plugin acme');
    expect(ran.stderr).toContain(says);
    expect((await ic('runs')).stdout).not.toContain('arithmetic');
  });

  it('cannot use the name of another one', async () => {
    const twice = definePlugin({ name: 'acme', environments: plugin.environments });
    const ran = await inFolder(temporaryFolder(), { plugins: [plugin, twice] })('list', 'environments');
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('the plugins arithmetic-example and acme both have it');
  });
});

it('is refused by field if its definition contradicts itself', async () => {
  const { z } = await import('zod');
  const wrong = defineEnvironment({
    ...{ name: 'coins', summary: 'heads or tails', families: { fair: 'one half' }, knobs: {} },
    start: { families: { fair: { share: 0.5 } } },
    outcomes: { right: 'right', wrong: 'wrong' },
    failureClasses: { wrong: 'wrong' },
    instance: z.strictObject({ side: z.int() }),
    generate: ({ random }) => ({ side: random.below(2) }),
    judge: ({ instance: { side } }) =>
      side > 0 ? { outcome: 'right' } : { outcome: 'wrong', failures: [{ class: 'wrong' }] },
  });
  await expect(wrong.open({ knobs: [], plugin: 'acme' })).rejects.toThrow(
    'the environment coins of the plugin acme: its definition: start.families.fair.share: found',
  );
});

describe('an engineer of a plugin', () => {
  const harder = defineEngineer({
    name: 'harder',
    summary: 'one digit more everywhere',
    on: arithmetic,
    propose({ current, descriptor }) {
      const { families, ...settings } = current;
      const [addition] = descriptor.families;
      const digits = Math.min(4, families.addition.digits + 1);
      return {
        configuration: { ...settings, families: { ...families, addition: { ...families.addition, digits } } },
        reasons: [{ knob: `${addition?.family}.digits`, reason: 'to see what comes of it' }],
      };
    },
  });

  it('decides between stages, by its name', async () => {
    const folder = temporaryFolder();
    const acme = definePlugin({ name: 'acme', engineers: [harder] });
    const ic = inFolder(folder, { plugins: [plugin, acme] });
    expect(await ic(...runIn(folder), '--engineer', 'harder')).toMatchObject({ code: 0 });
    const why = json(await ic('why', 'sums@3', '--json'));
    expect(why).toMatchObject({ changes: [expect.objectContaining({ knob: 'addition.digits' })] });
    expect((await ic('list', 'engineers')).stdout).toContain('one digit more everywhere');
  });

  it.each([
    ['throws', () => Promise.reject(new Error('no idea')), 'propose threw Error: no idea'],
    [
      'changes its input',
      ({ current }: { current: object }) => Object.assign(current, { a: 1 }) as never,
      'propose threw TypeError',
    ],
  ])('that %s stops the run, which can be resumed', async (_, propose, says) => {
    const folder = temporaryFolder();
    const wrong = defineEngineer({ name: 'wrong', summary: 'invalid', propose });
    const ic = inFolder(folder, { plugins: [plugin, definePlugin({ name: 'acme', engineers: [wrong] })] });
    const ran = await ic(...runIn(folder), '--engineer', 'wrong');
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(`the engineer wrong of the plugin acme: ${says}`);
  });

  it('that proposes nonsense is rejected with the field, and the configuration stays', async () => {
    const folder = temporaryFolder();
    const propose = () => ({ configuration: 7 }) as never;
    const wrong = defineEngineer({ name: 'wrong', summary: 'invalid', propose });
    const ic = inFolder(folder, { plugins: [plugin, definePlugin({ name: 'acme', engineers: [wrong] })] });
    expect(await ic(...runIn(folder), '--engineer', 'wrong')).toMatchObject({ code: 0 });
    expect((await ic('why', 'sums@2', '--verbose')).stdout).toContain('configuration: found 7 (a number)');
  });

  it('cannot use a name that icecore uses', () => {
    for (const name of [...Object.keys(engineers)]) {
      const taken = defineEngineer({ name, summary: 'another', propose: () => ({ configuration: {} }) });
      expect(() => registryOf([definePlugin({ name: 'acme', engineers: [taken] })])).toThrow('a name other than');
    }
  });
});
