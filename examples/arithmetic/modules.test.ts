// A user's own context module: an engineer is shown it, cites it, and is asked again without it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ContextHistory, defineContextModule, defineEngineer, definePlugin } from 'icecore/plugins';
import { contextModuleContract, engineerContract } from 'icecore/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inFolder, json, lines } from '../../src/cli/testing/harness.ts';
import { arithmetic } from './environment.ts';
import { plugin } from './plugin.ts';

const histories: ContextHistory[] = [];

/** The improvement of each family in the last stage. */
const trend = defineContextModule({
  name: 'acme.trend',
  meaning: 'what the last stage changed, family by family',
  build(history) {
    histories.push(history);
    const [before, last] = [history.stages.at(-2), history.stages.at(-1)];
    const results = last?.validation?.data.results ?? [];
    const items = results.flatMap(({ family, measure, value }) => {
      if (family === null || measure !== 'valid' || typeof value !== 'number') return [];
      const was = before?.validation?.data.results.find(
        (one) => one.family === family && one.measure === measure,
      )?.value;
      const gain = typeof was === 'number' ? value - was : value;
      const events = [last, before].flatMap((stage) => stage?.validation?.id ?? []);
      return [
        { id: family, text: `${family} gained ${gain.toFixed(2)}`, events, family, measure: 'gain', value: gain },
      ];
    });
    return { opening: 'Shares of the validation tasks.', items };
  },
});

const harder = defineEngineer({
  name: 'harder',
  summary: 'one digit more where it gained',
  reads: ['acme.trend'],
  on: arithmetic,
  propose({ current, context }) {
    const { families, ...settings } = current;
    const [fact] = context?.modules.find(({ module }) => module === 'acme.trend')?.facts ?? [];
    const digits = Math.min(4, families.addition.digits + 1);
    return {
      configuration: { ...settings, families: { ...families, addition: { ...families.addition, digits } } },
      reasons: [{ knob: 'addition.digits', reason: 'it gained', cites: fact === undefined ? [] : [fact.evidenceId] }],
    };
  },
});

contextModuleContract(trend, { on: arithmetic });
engineerContract(harder, { on: arithmetic });

const acme = definePlugin({ name: 'acme', contextModules: [trend], engineers: [harder] });
const settings = {
  ...{ environment: 'arithmetic', trainer: 'practice', engineer: 'harder', suites: ['short'] },
  ...{ stages: 3, validation: 20, perCell: 1, samples: 1, trained: 20 },
};

const folder = mkdtempSync(join(tmpdir(), 'icecore-modules-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const ic = inFolder(folder, { plugins: [plugin, acme] });
const without = inFolder(folder, { plugins: [plugin, definePlugin({ name: 'acme', engineers: [harder] })] });

beforeAll(async () => {
  writeFileSync(join(folder, 'run.json'), JSON.stringify(settings));
  const ran = await ic('run', '--file', 'run.json', '--name', 'sums', '--context', 'failures+acme.trend', '--json');
  expect(ran).toMatchObject({ code: 0 });
}, 120_000);

describe('a module of a plugin', () => {
  it('is shown, with items that can be cited', async () => {
    const shown = json(await ic('context', 'sums@3', '--json')) as {
      text: { text: string };
      builder: string;
      evidenceIds: object;
    };
    expect(shown.text.text).toContain('# acme.trend: what the last stage changed, family by family\nShares of');
    expect(shown.text.text).toMatch(/\n {2}\[acme\.trend:addition\] addition gained -?\d\.\d\d\n/);
    expect(shown).toMatchObject({
      builder: expect.stringContaining('acme.trend/1'),
      evidenceIds: { 'acme.trend:addition': { module: 'acme.trend', family: 'addition', events: expect.any(Array) } },
    });
  });

  it('receives frozen data without anything that engineers may not see', () => {
    const all = histories.flatMap(({ stages }) => stages);
    expect(new Set(all.flatMap(({ validation }) => validation?.data.split ?? []))).toEqual(new Set(['validation']));
    expect(JSON.stringify(histories)).not.toMatch(/"(?:test|probe-holdout|short)"/);
    const [first] = all;
    expect(() => Object.assign(first as object, { stage: 7 })).toThrow(TypeError);
  });

  it('is the evidence of a reason in why, even without the plugin', async () => {
    for (const asked of [ic, without, inFolder(folder)]) {
      const { changes } = json(await asked('why', 'sums@2', '--detail', '4', '--json')) as {
        changes: readonly Record<string, unknown>[];
      };
      expect(changes).toMatchObject([
        {
          ...{ knob: 'addition.digits', ground: 1 },
          evidence: [
            expect.objectContaining({
              ...{ evidenceId: 'acme.trend:addition', module: 'acme.trend', status: 'shown' },
              text: expect.stringMatching(/^addition gained/),
            }),
          ],
        },
      ]);
    }
  });

  it('is listed and completed', async () => {
    expect((await ic('list', 'contexts')).stdout).toMatch(/acme\.trend +module +acme +what the last stage changed/);
    expect(lines((await ic('__complete', '--', 'run', '--context', 'failures+acme')).stdout)[0]).toContain(
      'failures+acme.trend',
    );
  });

  it('is left out of an ablation like any other', async () => {
    const ablated = await ic('ablate', 'sums@3', '--leave-one-out', '--context', 'failures+acme.trend', '--json');
    expect(ablated).toMatchObject({ code: 0 });
    const { arms } = json(ablated) as { arms: readonly { arm: string }[] };
    expect(arms.map(({ arm }) => arm)).toEqual(
      expect.arrayContaining(['harder/failures+acme.trend', 'harder/failures+acme.trend-acme.trend']),
    );
  });

  it('is rebuilt by verify, which names it if its plugin is missing', async () => {
    expect(await ic('verify', 'sums', '--recompute', '--json')).toMatchObject({ code: 0 });
    expect((await without('verify', 'sums', '--recompute')).stdout).toContain(
      'acme.trend, which belongs to no loaded plugin',
    );
  });

  it.each([
    ['run', '--file', 'run.json', '--name', 'more', '--context', 'acme.trend'],
    ['context', 'sums@3', '--context', 'acme.trend'],
    ['ablate', 'sums@3', '--context', 'failures,acme.trend'],
  ])('that does not exist is named: %s', async (...argv) => {
    const ran = await without(...argv);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('the context module acme.trend belongs to no loaded plugin');
  });
});

describe('an invalid module', () => {
  const [event] = ['00000000-0000-4000-8000-000000000000'];

  it.each<[string, () => unknown, string]>([
    ['throws', () => Promise.reject(new Error('no idea')), 'build threw Error: no idea'],
    ['never answers', () => new Promise(() => {}), 'build did not come back within 0.05 s'],
    ['returns nonsense', () => ({ items: [{ id: 'a b', text: '', events: [] }] }), 'build: items[0].id: found "a b"'],
    ['invents events', () => ({ items: [{ id: 'a', text: 'a', events: [event] }] }), 'build: items[0].events: found'],
    [
      'names an unknown family',
      () => ({ items: [{ id: 'a', text: 'a', events: [], family: 'x' }] }),
      'build: items[0].',
    ],
  ])('that %s is named with its plugin', async (_, build, says) => {
    const wrong = defineContextModule({
      name: 'acme.wrong',
      meaning: 'invalid',
      seconds: 0.05,
      build: build as never,
    });
    const at = inFolder(folder, { plugins: [plugin, definePlugin({ name: 'acme', contextModules: [wrong] })] });
    const ran = await at('context', 'sums@3', '--context', 'acme.wrong');
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(`the context module acme.wrong of the plugin acme: ${says}`);
  });

  it('that changes its input is named', async () => {
    const wrong = defineContextModule({
      ...{ name: 'acme.wrong', meaning: 'invalid' },
      build: (history) => Object.assign(history, { items: [] }) as never,
    });
    const at = inFolder(folder, { plugins: [plugin, definePlugin({ name: 'acme', contextModules: [wrong] })] });
    expect((await at('context', 'sums@3', '--context', 'acme.wrong')).stderr).toContain('build threw TypeError');
  });
});
