// Arms whose rollouts are recorded, compared task by task.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ablate as shape } from '../../../schemas/ablation-output.ts';
import type { EventData } from '../../../schemas/catalogue.ts';
import { mcnemar } from '../../lab/statistics/mcnemar.ts';
import { openLedger } from '../../ledger/open.ts';
import { AblationRecord, keyOf, type OfArm } from '../../producers/ablation/record.ts';
import { withRollouts } from '../compare/testing/tries.ts';
import { Recording } from '../history/testing/recording.ts';
import { contrastsByTask } from './tasks.ts';

const started: EventData['AblationStarted'] = {
  histories: [{ run: 'one', decisions: [1], revision: 1, digest: 'd'.repeat(64) }],
  depth: 'train',
  arms: ['rules/stats', 'rules/failures'].map((arm) => ({
    ...{ arm, engineer: { name: 'rules' }, form: { modules: ['stats'] }, baseline: false },
  })),
  seeds: [1],
  primary: { arm: 'rules/stats', reference: 'rules/failures', measure: 'validation', better: 'higher' },
  level: 0.95,
  options: { choice: { kind: 'as-named' }, engineers: ['rules'], units: [{ unit: 'seed 1', run: 'one', seed: 1 }] },
};

/** Of one arm, whose tries are in a stream of their own. */
function evaluated(arm: string, run: string, outcomes: readonly number[], suite = 'validation'): OfArm<'ArmEvaluated'> {
  const count = outcomes.filter(Boolean).length;
  const span = { stream: `evidence-${run}-2-0-0`, from: 0, to: outcomes.length - 1, root: 'f'.repeat(64) };
  return {
    ...{ id: arm, revision: 1, digest: 'e'.repeat(64), run: 'one', at: '', rollouts: [span] },
    place: { arm, unit: 'seed 1', stage: 2 },
    data: {
      ...{ arm, unit: 'seed 1', suite: { name: suite }, split: 'validation', rollouts: outcomes.length },
      results: [{ family: null, measure: 'valid', value: count / outcomes.length, count, of: outcomes.length }],
    },
  };
}

const outcomes = { one: [1, 1, 0, 0, 0, 0, 0, 0, 0, 1], two: [1, 1, 1, 1, 1, 1, 1, 1, 0, 0] };

async function compared(...all: readonly OfArm<'ArmEvaluated'>[]) {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-tasks-'));
  const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`, { create: true });
  onTestFinished(async () => {
    await ledger.close();
    rmSync(folder, { recursive: true });
  });
  for (const [run, own] of Object.entries(outcomes))
    await withRollouts(new Recording(run), run, 2, own).writeTo(ledger);
  const record = new AblationRecord('a');
  record.started = { id: 'a', revision: 0, digest: 'a'.repeat(64), data: started };
  for (const one of all)
    record.evaluations.set(keyOf(one.place), [...(record.evaluations.get(keyOf(one.place)) ?? []), one]);
  return await contrastsByTask(ledger, record);
}

it('a declared contrast is compared task by task where rollouts of both arms are recorded', async () => {
  const found = await compared(
    evaluated('rules/stats', 'two', outcomes.two),
    evaluated('rules/failures', 'one', outcomes.one),
  );
  expect(shape.shape.tasks.parse(found)).toEqual([
    expect.objectContaining({
      ...{ arm: 'rules/stats', reference: 'rules/failures', unit: 'seed 1', suites: ['validation'], tasks: 10 },
      ...{ better: 6, worse: 1, difference: expect.closeTo(0.5, 12), p: expect.closeTo(mcnemar(6, 1), 12) },
    }),
  ]);
});

it('an arm without recorded rollouts, or of another suite, is compared with none', async () => {
  const { rollouts: _, ...bare } = evaluated('rules/failures', 'one', outcomes.one);
  const mine = evaluated('rules/stats', 'two', outcomes.two);
  expect(await compared(mine, bare)).toEqual([]);
  expect(await compared(mine)).toEqual([]);
  expect(await compared(mine, evaluated('rules/failures', 'one', outcomes.one, 'agents-2'))).toEqual([]);
});
