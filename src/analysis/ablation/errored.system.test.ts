// An arm that errors in each of many runs.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ablateTiny, keptRuns, type TinyAblation } from '../../producers/ablation/testing/tiny-ablation.ts';
import { tinySettings } from '../../producers/run/testing/tiny.ts';
import { ablatedOf } from './ablated.ts';
import { completion } from './conclude.ts';

const small = { stages: 2, budget: { 'agent-steps': 60 }, validation: 2, trained: 2 };

it('no arm is reported as better than a program that crashes in every run', async () => {
  const runs = ['1', '2', '3', '4', '5', '6'].map((seed) => `seed${seed}0000000`);
  const six = await keptRuns(
    ...runs.map((one, i) => ({
      run: one,
      settings: tinySettings({ ...small, seed: i, context: 'v1', name: one }),
    })),
  );
  const at = await six.copy();
  onTestFinished(() => at.close());
  const crashing = join(at.folder, 'crashing.mjs');
  writeFileSync(crashing, 'process.exit(3);');
  const engineers = [[process.execPath, crashing], 'rules'];
  const asked: TinyAblation = { runs, engineers, forms: ['v1'], conclude: completion };
  const contrasts = ['rules/v1:crashing.mjs/v1'];
  const { record } = await ablateTiny(at, { ...asked, contrasts, measure: 'usable' });
  const { comparisons, conclusions } = ablatedOf(record, 'sqlite:ledger.db', []);
  expect(comparisons).toEqual([]);
  expect(conclusions.join(' ')).not.toMatch(/better|p = /);
  expect(conclusions[0]).toBe('rules/v1 and crashing.mjs/v1 are not compared: crashing.mjs/v1 errored.');
}, 60_000);
