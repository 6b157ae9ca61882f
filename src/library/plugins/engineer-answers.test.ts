// Runs and ablations treat the answers of a plugin's engineer like those of a program.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { temporaryFolder } from '../../base/testing/temporary-folder.ts';
import type { SettingsOptions } from '../experiment/settings.ts';
import { openWorkspace } from '../open.ts';
import type { Workspace } from '../workspace.ts';
import { defineEngineer, defineEnvironment, definePlugin, defineTrainer } from './index.ts';

const darts = defineEnvironment({
  ...{ name: 'darts', summary: 'aim at a number', families: { near: 'a board that is near' } },
  knobs: { size: { meaning: 'numbers on the board', range: [2, 10_000], step: 1, integer: true } },
  start: { families: { near: { share: 1, size: 100 } } },
  outcomes: { hit: 'the number', miss: 'another' },
  failureClasses: { missed: 'another number' },
  instance: z.strictObject({ number: z.int() }),
  generate: ({ knobs: { size }, random }) => ({ number: random.below(size) }),
  judge: ({ instance, answer }) =>
    answer === instance.number ? { outcome: 'hit' } : { outcome: 'miss', failures: [{ class: 'missed' }] },
  player: () => () => ({ answer: 1, agentSteps: 1 }),
});

const practice = defineTrainer({
  ...{ name: 'practice', summary: 'throws', on: darts, state: z.object({}), begin: () => ({}) },
  update: ({ state }) => ({ state, agentSteps: 50, groups: [{ family: 'near', rewards: [0, 1], valid: 1 }] }),
});

const settings: SettingsOptions = {
  ...{ stages: 2, policy: 'arm', validation: 1, perCell: 1, trained: 1, samples: 1, suites: [] },
  ...{ environment: 'darts', trainer: 'practice', budget: { 'agent-steps': 50 } },
};

type Settings = { readonly families: { readonly near: { readonly share: number; readonly size: number } } };

/** A workspace with an engineer of this name for each function; `on`: the configuration in force. */
async function workspaceWith(engineers: Readonly<Record<string, (on: Settings) => unknown>>): Promise<Workspace> {
  const defined = Object.entries(engineers).map(([name, answer]) =>
    defineEngineer({
      ...{ name, summary: 'answers', on: darts, reads: ['stats'] },
      propose: ({ current }) => answer(current) as { configuration: Settings },
    }),
  );
  const plugins = [definePlugin({ name: 'acme', environments: [darts], trainers: [practice], engineers: defined })];
  return await openWorkspace({ cwd: temporaryFolder(), env: { ICECORE_TRUST: '*' }, plugins });
}

async function dataOf(workspace: Workspace, type: string): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for await (const event of workspace.events({ types: [type] })) found.push((event.toJSON() as { data: unknown }).data);
  return found;
}

const predicting = (value: number) => (configuration: Settings) => ({
  configuration,
  predictions: [{ family: 'near', measure: 'valid', value }],
});

const circular = (current: Settings): unknown => {
  const families: Record<string, unknown> = { ...current.families };
  families['near'] = { ...current.families.near, families };
  return { configuration: { families } };
};

const bigint = ({ families: { near } }: Settings) => ({ configuration: { families: { near: { ...near, size: 5n } } } });

describe('an unusable answer is rejected with its fields, and the run continues', () => {
  it.each<[string, (on: Settings) => unknown, string, RegExp]>([
    ['a rate that is not a number', predicting(Number.NaN), 'invalid', /^predictions\[0\]\.value: NaN$/],
    ['a rate above one', predicting(1.5), 'invalid', /^predictions\[0\]\.value: 1\.5 \(a number\)$/],
    [
      'a rationale of 2 MB',
      (configuration) => ({ configuration, rationale: 'x'.repeat(2e6) }),
      'invalid',
      /^answer: a proposal of 2\d{6} bytes$/,
    ],
    ['a circular configuration', circular, 'invalid', /^configuration\.families\.near.*: nesting deeper than 256/],
    ['a BigInt', bigint, 'invalid', /^configuration\.families\.near\.size: a bigint$/],
    ['a number for a configuration', () => ({ configuration: 7 }), 'invalid', /^configuration: 7/],
    ['a text', () => 'keep it', 'unreadable', /^answer: "keep it" \(a string\)$/],
    ['nothing', () => undefined, 'empty', /^answer: nothing$/],
    [
      'a time that is not a number',
      (configuration) => ({ configuration, measured: { seconds: Number.NaN } }),
      'invalid',
      /^measured\.seconds: NaN$/,
    ],
    [
      'a member that throws',
      () => ({
        get configuration() {
          throw new Error('no longer here');
        },
      }),
      'unreadable',
      /^answer: members that throw: no longer here$/,
    ],
  ])('%s', async (_, answer, reason, says) => {
    await using workspace = await workspaceWith({ odd: answer });
    for (const onError of ['keep', 'stop'] as const) {
      const ran = await workspace.run({ ...settings, engineer: 'odd', name: onError, onError });
      expect(ran).toMatchObject({ ended: 'completed', stages: 2 });
    }
    const rejected = (await dataOf(workspace, 'ProposalRejected')) as {
      readonly reason: string;
      readonly issues: readonly { readonly field: string; readonly found: string }[];
    }[];
    expect(rejected).toHaveLength(2);
    expect(rejected[0]).toMatchObject({ engineer: { name: 'odd' }, reason });
    const [first] = rejected[0]?.issues ?? [];
    expect(`${first?.field}: ${first?.found}`).toMatch(says);
    expect(await dataOf(workspace, 'ConfigAdopted')).toMatchObject([{}, { by: 'kept' }, {}, { by: 'kept' }]);
  });
});

it('half of an emoji in a rationale is replaced', async () => {
  await using workspace = await workspaceWith({
    odd: (configuration) => ({ configuration, rationale: `cut ${'😀'.slice(0, 1)}` }),
  });
  await workspace.run({ ...settings, engineer: 'odd', name: 'cut' });
  expect(await dataOf(workspace, 'ProposalRecorded')).toMatchObject([{ rationale: 'cut \ufffd' }]);
});

it('evidence that was not shown is not recorded as cited, whether a plugin or a program names it', async () => {
  const reasons = [{ knob: 'near.size', cites: ['Invented.id'], reason: 'it is easy' }];
  const harder = ({ families: { near } }: Settings) => ({ families: { near: { ...near, size: near.size + 1 } } });
  await using workspace = await workspaceWith({ odd: (on) => ({ configuration: harder(on), reasons }) });
  const script = join(temporaryFolder(), 'odd.mjs');
  writeFileSync(
    script,
    `let text = ''; for await (const part of process.stdin) text += part;
     const { current: configuration } = JSON.parse(text); configuration.families.near.size += 1;
     console.log(JSON.stringify({ configuration, reasons: ${JSON.stringify(reasons)} }));`,
  );
  await workspace.run({ ...settings, engineer: 'odd', name: 'plugin' });
  await workspace.run({ ...settings, engineer: [process.execPath, script], name: 'program' });
  const [own, other] = (await dataOf(workspace, 'ProposalRecorded')) as { readonly changes: object }[];
  expect(own?.changes).toMatchObject([
    { cites: [], reason: 'it is easy [names "Invented.id", of which nothing was shown]' },
  ]);
  expect(own?.changes).toEqual(other?.changes);
});

it('an ablation rejects unusable answers as well, and no arm is errored', async () => {
  await using workspace = await workspaceWith({ odd: predicting(1.5), same: (configuration) => ({ configuration }) });
  await workspace.run({ ...settings, engineer: 'same', name: 'mine' });
  const options = { engineers: ['same', 'odd'], contexts: ['stats'], baselines: 'none' } as const;
  expect(await workspace.ablate(['mine'], options)).toMatchObject({ state: 'completed', errored: [] });
  expect(await dataOf(workspace, 'ArmRejected')).toMatchObject([
    { engineer: { name: 'odd' }, reason: 'invalid', issues: [{ field: 'predictions[0].value' }] },
  ]);
});
