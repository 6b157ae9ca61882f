// Arms that an error keeps from deciding: nothing of them counts, the others go on, and the same ablation again tries these
// arms and nothing else.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { AblationRecord } from '../../producers/ablation/record.ts';
import { ablateTiny, keptRuns, type TinyAblation } from '../../producers/ablation/testing/tiny-ablation.ts';
import { tinySettings } from '../../producers/run/testing/tiny.ts';
import { ablatedOf } from './ablated.ts';
import { completion } from './conclude.ts';

const [run, other] = ['whole0000000', 'other0000000'];
const small = { stages: 3, budget: { 'agent-steps': 60 }, validation: 2, trained: 2 };
let kept: Awaited<ReturnType<typeof keptRuns>>;
let tools: string;

beforeAll(async () => {
  tools = mkdtempSync(join(tmpdir(), 'icecore-engineers-'));
  const crashing = join(tools, 'crashing.mjs');
  writeFileSync(crashing, 'process.exit(3);');
  const lost = { engineer: [process.execPath, crashing], context: 'v1', onError: 'keep', name: 'other' } as const;
  const settings = tinySettings({ ...small, ...lost, engineer: [...lost.engineer] });
  kept = await keptRuns({ run, settings: tinySettings(small) }, { run: other, settings });
}, 60_000);
afterAll(async () => {
  await kept.close();
  rmSync(tools, { recursive: true, force: true });
});

function resultOf(record: AblationRecord) {
  return ablatedOf(record, 'sqlite:ledger.db', []);
}

it('nobody is better than a program that crashes, over however many runs it does', async () => {
  const runs = ['1', '2', '3', '4', '5', '6'].map((seed) => `seed${seed}0000000`);
  const six = await keptRuns(
    ...runs.map((one, i) => ({
      run: one,
      settings: tinySettings({ ...small, stages: 2, seed: i, context: 'v1', name: one }),
    })),
  );
  onTestFinished(async () => await six.close());
  const at = await six.copy();
  onTestFinished(() => at.close());
  const engineers = [[process.execPath, join(tools, 'crashing.mjs')], 'rules'];
  const asked: TinyAblation = { runs, engineers, forms: ['v1'], conclude: completion };
  const { comparisons, conclusions } = resultOf(
    (await ablateTiny(at, { ...asked, contrasts: ['rules/v1:crashing.mjs/v1'], measure: 'usable' })).record,
  );
  expect(comparisons).toEqual([]);
  expect(conclusions.join(' ')).not.toMatch(/better|p = /);
  expect(conclusions[0]).toBe('rules/v1 and crashing.mjs/v1 are not compared: crashing.mjs/v1 errored.');
}, 60_000);
