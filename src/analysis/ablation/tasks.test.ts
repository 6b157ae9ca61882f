// Arms whose rollouts are recorded, compared task by task.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ablate as shape } from '../../../schemas/ablation-output.ts';
import type { EventData } from '../../../schemas/catalogue.ts';
import { mcnemar } from '../../lab/statistics/significance.ts';
import { openLedger } from '../../ledger/open.ts';
import { AblationRecord, keyOf, type OfArm } from '../../producers/ablation/record.ts';
import { nowhere } from '../../producers/history/run-history.ts';
import { withRollouts } from '../compare/testing/tries.ts';
import { Recording } from '../history/testing/recording.ts';
import { contrastsByTask } from './tasks.ts';

const started: EventData['AblationStarted'] = {
  histories: [{ run: 'one', decisions: [1], revision: 1, digest: 'd'.repeat(64) }],
  depth: 'train',
  arms: ['rules/stats', 'rules/failures'].map((arm) => ({
    ...{ arm, engineer: { name: 'rules' }, contextForm: { modules: ['stats'] }, baseline: false },
  })),
  seeds: [1],
  primary: { arm: 'rules/stats', reference: 'rules/failures', measure: 'validation', better: 'higher' },
  level: 0.95,
  options: { choice: { kind: 'as-named' }, engineers: ['rules'], units: [{ unit: 'seed 1', run: 'one', seed: 1 }] },
};

/** The evaluation of an arm, whose rollouts are in a separate stream. */
function evaluated(
  arm: string,
  run: string,
  outcomes: readonly number[],
  { suite = 'validation', stage = 2 } = {},
): OfArm<'ArmEvaluated'> {
  const count = outcomes.filter(Boolean).length;
  const span = { stream: `evidence-${run}-2-0-0`, from: 0, to: outcomes.length - 1, root: 'f'.repeat(64) };
  return {
    ...nowhere,
    ...{ id: arm, revision: 1, digest: 'e'.repeat(64), run: 'one', at: '', rollouts: [span] },
    place: { arm, unit: 'seed 1', stage },
    data: {
      ...{ arm, unit: 'seed 1', suite: { name: suite }, split: 'validation', rollouts: outcomes.length },
      results: [{ family: null, measure: 'valid', value: count / outcomes.length, count, of: outcomes.length }],
    },
  };
}

function erroredArm(arm: string): OfArm<'ArmErrored'> {
  const error = { kind: 'crashed', message: 'gone' } as const;
  return {
    ...nowhere,
    ...{ id: 'error', revision: 9, digest: 'e'.repeat(64), run: 'one', at: '' },
    place: { arm, unit: 'seed 1', stage: 2 },
    data: {
      ...{ arm, unit: 'seed 1', forStage: 3, engineer: { name: 'rules' }, context: null, raw: null, error },
      ...{ during: 'train', resumable: true },
    },
  };
}

const outcomes = { one: [1, 1, 0, 0, 0, 0, 0, 0, 0, 1], two: [1, 1, 1, 1, 1, 1, 1, 1, 0, 0] };

async function compared(...all: readonly OfArm<'ArmEvaluated'>[]) {
  return await comparedBy({}, ...all);
}

type Change = Partial<EventData['AblationStarted']> & { readonly errored?: string };

async function comparedBy({ errored, ...change }: Change, ...all: readonly OfArm<'ArmEvaluated'>[]) {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-tasks-'));
  const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`, { create: true });
  onTestFinished(async () => {
    await ledger.close();
    rmSync(folder, { recursive: true });
  });
  for (const [run, own] of Object.entries(outcomes))
    await withRollouts(new Recording(run), run, 2, own).writeTo(ledger);
  const record = new AblationRecord('a');
  record.started = { ...nowhere, id: 'a', digest: 'a'.repeat(64), data: { ...started, ...change } };
  if (errored !== undefined) record.errors.push(erroredArm(errored));
  for (const one of all)
    record.evaluations.set(keyOf(one.place), [...(record.evaluations.get(keyOf(one.place)) ?? []), one]);
  return await contrastsByTask(ledger, record);
}

it('a declared contrast is compared task by task if rollouts of both arms are recorded', async () => {
  const found = await compared(
    evaluated('rules/stats', 'two', outcomes.two),
    evaluated('rules/failures', 'one', outcomes.one),
  );
  expect(shape.shape.tasks.parse(found)).toEqual([
    expect.objectContaining({
      factor: null,
      ...{ arm: 'rules/stats', reference: 'rules/failures', unit: 'seed 1', suites: ['validation'], tasks: 10 },
      ...{ better: 6, worse: 1, difference: expect.closeTo(0.5, 12), p: expect.closeTo(mcnemar(6, 1), 12) },
    }),
  ]);
});

it('an arm without recorded rollouts, or with another suite, is not compared', async () => {
  const { rollouts: _, ...bare } = evaluated('rules/failures', 'one', outcomes.one);
  const mine = evaluated('rules/stats', 'two', outcomes.two);
  expect(await compared(mine, bare)).toEqual([]);
  expect(await compared(mine)).toEqual([]);
  expect(await compared(mine, evaluated('rules/failures', 'one', outcomes.one, { suite: 'agents-2' }))).toEqual([]);
});

it('an errored arm is not compared, even if its rollouts are recorded', async () => {
  const both = [evaluated('rules/stats', 'two', outcomes.two), evaluated('rules/failures', 'one', outcomes.one)];
  expect(await comparedBy({ errored: 'rules/failures' }, ...both)).toEqual([]);
});

it('the stages of a unit count together, but at depth run only the last one', async () => {
  const stages = [
    evaluated('rules/stats', 'two', outcomes.two),
    evaluated('rules/failures', 'one', outcomes.one),
    evaluated('rules/stats', 'one', outcomes.one, { stage: 3 }),
    evaluated('rules/failures', 'one', outcomes.one, { stage: 3 }),
  ];
  const [together] = await comparedBy({}, ...stages);
  expect(together).toMatchObject({ tasks: 10, better: 6, worse: 1, difference: expect.closeTo(0.25, 12) });
  expect(together?.method).toMatch(/^sign flips by task/);
  const [last] = await comparedBy({ depth: 'run' }, ...stages);
  expect(last).toMatchObject({ tasks: 10, better: 0, worse: 0, difference: 0, p: 1 });
});

it('a main effect combines the arms of each side task by task', async () => {
  const names = ['rules/stats', 'rules/failures', 'base/stats', 'base/failures'];
  const arms = names.map((arm) => {
    const [engineer = '', module = ''] = arm.split('/');
    return { arm, engineer: { name: engineer }, contextForm: { modules: [module] }, baseline: false };
  });
  const contrasts = [
    { factor: 'engineer', arm: 'base', reference: 'rules', measure: 'validation', better: 'higher' },
  ] as const;
  const asked = { arms, contrasts: [...contrasts], primary: null };
  // Only base/stats is better than the rules arms.
  const all = names.map((arm) =>
    arm === 'base/stats' ? evaluated(arm, 'two', outcomes.two) : evaluated(arm, 'one', outcomes.one),
  );
  expect(shape.shape.tasks.parse(await comparedBy(asked, ...all))).toEqual([
    expect.objectContaining({
      ...{ factor: 'engineer', arm: 'base', reference: 'rules', unit: 'seed 1', tasks: 10, better: 6, worse: 1 },
      difference: expect.closeTo(0.25, 12),
    }),
  ]);
  // A task that one of them lacks is not common to all.
  expect(await comparedBy(asked, ...all.slice(1))).toEqual([]);
});
