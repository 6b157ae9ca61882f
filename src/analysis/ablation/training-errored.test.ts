// The decision of an arm crashes the trainer: the arm is errored, and the others continue.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { hasPython } from '../../lab/environments/command/testing/arithmetic.ts';
import { erroredIn } from '../../producers/ablation/errored.ts';
import { ablateTiny, keptRuns, type TinyAblation } from '../../producers/ablation/testing/tiny-ablation.ts';
import type { AblationProgress } from '../../producers/ablation/working.ts';
import { tinySettings } from '../../producers/run/testing/tiny.ts';
import { completion } from './conclude.ts';

const run = 'reckoning000';
const python = ['python3', '-S'];
const families = {
  addition: { share: 0.5, digits: 2, terms: 2 },
  multiplication: { share: 0.25, digits: 1, terms: 2 },
  chains: { share: 0.25, digits: 1, terms: 3 },
};
let kept: Awaited<ReturnType<typeof keptRuns>>;
let tools: string;
let broken: string;

beforeAll(async () => {
  tools = mkdtempSync(join(tmpdir(), 'icecore-trainers-'));
  broken = join(tools, 'broken');
  const script = join(tools, 'moody.py');
  writeFileSync(
    script,
    `import io, json, os, runpy, sys
line = sys.stdin.readline()
if os.path.exists(${JSON.stringify(broken)}) and json.loads(line)["configuration"]["families"]["addition"]["share"] == 0.5:
    sys.exit(9)
sys.stdin = io.StringIO(line)
sys.path.insert(0, ${JSON.stringify(resolve('examples/arithmetic'))})
runpy.run_path(${JSON.stringify(resolve('examples/arithmetic/trainer.py'))}, run_name="__main__")
`,
  );
  const settings = tinySettings({
    ...{
      environment: [...python, 'examples/arithmetic/environment.py'],
      trainer: [...python, script],
      policy: 'pupil',
    },
    ...{ configuration: { families, negatives: 0 }, budget: { 'agent-steps': 400 }, context: 'combined' },
    ...{ validation: 4, trained: 4 },
  });
  kept = await keptRuns({ run, settings });
}, 60_000);
afterAll(() => rmSync(tools, { recursive: true, force: true }));

describe.skipIf(!hasPython)('an arm whose trainer crashes', () => {
  it('is errored, and running the ablation again trains only this arm', async () => {
    const at = await kept.copy();
    onTestFinished(() => at.close());
    writeFileSync(broken, '');
    const asked: TinyAblation = {
      ...{ runs: [run], forms: ['behaviour'], depth: 'train', conclude: completion },
      ...{ arms: ['rules/behaviour', 'actual', 'fixed'], contrasts: ['rules/behaviour:fixed'] },
    };
    const { record, design } = await ablateTiny(at, asked);
    expect(erroredIn(record)).toEqual([{ arm: 'fixed', reason: expect.stringContaining('ended with exit code 9') }]);
    expect(record.errors.map(({ data }) => [data.during, data.resumable])).toEqual([['train', true]]);
    const { results, contrasts: comparisons, conclusions: says } = completion(record, erroredIn(record));
    expect([results.filter(({ arm }) => arm === 'fixed'), comparisons]).toEqual([[], []]);
    expect(says[0]).toBe('rules/behaviour and fixed are not compared: fixed errored.');

    rmSync(broken);
    const begun: string[] = [];
    const tell = async (progress: AblationProgress): Promise<void> => {
      if (progress.kind === 'begun') begun.push(`${progress.doing} ${progress.task.arm.arm}`);
    };
    const again = await ablateTiny(at, { ...asked, tell });
    expect(again.design.ablation).toBe(design.ablation);
    expect(begun).toEqual(['train fixed', 'evaluate fixed']);
    expect(again.record.completed?.data.unfinished).toEqual([]);
  }, 60_000);
});
