// The independent check in Python confirms the recorded figures of an ablation, and detects changed ones.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completion } from '../src/analysis/ablation/conclude.ts';
import { icecore } from '../src/cli/testing/harness.ts';
import { ablateTiny, keptRuns, type TinyAblation } from '../src/producers/ablation/testing/tiny-ablation.ts';
import { type TinyPlace, tinySettings } from '../src/producers/run/testing/tiny.ts';

const script = fileURLToPath(new URL('recheck.py', import.meta.url));
const hasPython = spawnSync('python3', ['--version']).status === 0;
const run = 'whole0000000';
let runs: Awaited<ReturnType<typeof keptRuns>>;
let place: TinyPlace;

type Line = Record<string, unknown> & { readonly type: string; readonly data: Record<string, unknown> };

describe.skipIf(!hasPython)('an ablation recomputed in Python', () => {
  beforeAll(async () => {
    runs = await keptRuns({
      run,
      settings: tinySettings({ budget: { 'agent-steps': 60 }, validation: 4, trained: 4 }),
    });
    place = await runs.copy();
  }, 60_000);
  afterAll(async () => {
    await place.close();
  });

  async function exported(tiny: Omit<TinyAblation, 'runs'>): Promise<Line[]> {
    const { record } = await ablateTiny(place, { runs: [run], conclude: completion, ...tiny });
    const { code, stdout, stderr } = await icecore(['export', 'events', '--ledger', place.ledger.url], {
      cwd: place.folder,
    });
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    const lines = stdout.trim().split('\n').map((line) => JSON.parse(line) as Line); // biome-ignore format: one line
    const others = lines.filter(({ type }) => type.startsWith('Ablation') || type.startsWith('Arm'));
    const own = others.filter(({ stream }) => stream === `ablation-${record.ablation}`);
    expect(own.map(({ type }) => type)).toContain('AblationCompleted');
    return [...lines.filter((line) => !others.includes(line)), ...own];
  }

  function recheck(lines: readonly Line[]) {
    const input = lines.map((line) => JSON.stringify(line)).join('\n');
    const { status, stdout, stderr } = spawnSync('python3', [script], { input, encoding: 'utf8' });
    expect(stderr).toBe('');
    return { status, stdout };
  }

  const trained: Omit<TinyAblation, 'runs'> = {
    ...{ depth: 'train', forms: ['failures', 'stats', 'behaviour'], engineers: ['rules', 'base'] },
    ...{ seeds: [1, 2, 3, 4, 5, 6, 7], baselines: ['fixed'], margin: 0.5 },
  };

  let trainedLines: Promise<readonly Line[]> | undefined;
  /** Recorded once. */
  const exportedWithTraining = (): Promise<readonly Line[]> => {
    trainedLines ??= exported({ ...trained, contrasts: ['base/stats:rules/failures', 'engineer'] });
    return trainedLines;
  };

  it('with training, declared contrasts and main effects', async () => {
    const lines = await exportedWithTraining();
    const { status, stdout } = recheck(lines);
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^contrasts: \d\d+ recomputed, 0 differ$/m)]);
    expect(stdout).toMatch(/^results: \d\d+ recomputed, 0 differ$/m);
    expect(stdout).toMatch(/^evaluations: \d\d+ recomputed, 0 differ$/m);
  }, 120_000);

  it('without training, where a run counts once for arms that decide the same with every seed', async () => {
    const lines = await exported({ forms: ['failures', 'behaviour'], seeds: [1, 2, 3], engineers: ['rules', 'base'] });
    expect(recheck(lines).stdout).toMatch(/^contrasts: \d+ recomputed, 0 differ$/m);
  }, 60_000);

  it('that ended with errored arms, whose contrasts are not missed', async () => {
    const script = join(place.folder, 'crashing.mjs');
    writeFileSync(script, 'process.exit(3);');
    const crashing = [process.execPath, script];
    const lines = await exported({
      ...{ forms: ['failures', 'behaviour'], engineers: ['rules', 'base', crashing], seeds: [1, 2], onError: 'keep' },
      contrasts: ['crashing.mjs/failures:rules/failures', 'engineer'],
    });
    const end = lines.findLast(({ type }) => type === 'AblationCompleted');
    expect(end?.data['unfinished']).toHaveLength(2);
    expect(recheck(lines)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^contrasts: \d+ recomputed, 0/m),
    });
  }, 60_000);

  it('with a factorial design', async () => {
    const lines = await exported({
      ...{ depth: 'train', forms: ['history'], seeds: [1, 2, 3], baselines: [] },
      choice: { kind: 'factorial', factors: ['failures', 'stats'] },
    });
    expect(recheck(lines)).toMatchObject({ status: 0 });
  }, 120_000);

  it('with a changed figure, which is detected', async () => {
    const lines = await exportedWithTraining();
    type Records = Record<string, unknown>[];
    const changed = (type: string, change: (data: Record<string, unknown>) => void) => {
      const copy: Line[] = structuredClone([...lines]);
      const line = copy.findLast((one) => one.type === type);
      if (line === undefined) throw new Error(`nothing of type ${type}`);
      change(line.data);
      return recheck(copy);
    };
    const comparison = (change: (one: Record<string, unknown>) => void) =>
      changed('AblationCompleted', ({ contrasts }) => {
        const one = (contrasts as Records).find(({ p }) => p !== undefined);
        if (one === undefined) throw new Error('nothing was tested');
        change(one);
      });
    const forged = [
      comparison((one) => Object.assign(one, { p: 0.0625 })),
      comparison((one) => Object.assign(one, { adjusted: 0.03125 })),
      comparison((one) => Object.assign(one, { difference: Number(one['difference']) + 0.01 })),
      comparison((one) => Object.assign(one, { verdict: 'significant' })),
      comparison((one) => Object.assign(one, { declared: one['declared'] === false })),
      comparison((one) => Object.assign(one, { units: 6 })),
      changed('AblationCompleted', ({ results }) => Object.assign((results as Records)[0] ?? {}, { value: 0.123 })),
      changed('ArmEvaluated', ({ results }) => {
        const pooled = (results as Records).find(({ family, measure }) => family === null && measure === 'valid');
        Object.assign(pooled ?? {}, { count: Number(pooled?.['count']) + 1 });
      }),
    ];
    expect(forged.map(({ status }) => status)).toEqual(forged.map(() => 1));
  }, 120_000);

  it('recomputes figures from their rollouts, and detects a changed rollout', () => {
    const stream = 'evidence-run-2-validation-0';
    const wins = [1, 1, 0, 1, 0, 0, 1, 1, 0, 1];
    const rollout = (success: number, i: number): Line => ({
      ...{ stream, revision: i, type: 'RolloutRecorded', stage: 2, causes: [] },
      data: {
        ...{ family: '3', task: { id: `task ${i >> 1}`, digest: `digest ${i >> 1}` }, sample: i % 2, trainingStep: 1 },
        ...{ success: success === 1, reward: success, ...(success === 1 ? {} : { failureClass: 'hole' }) },
      },
    });
    const causes = [{ stream, from: 0, to: 9, root: 'f'.repeat(64) }];
    const own = { stream: 'run-run', stage: 2, causes };
    // Wilson interval of 3 out of 5 tasks, with two attempts each.
    const valid = {
      family: null,
      measure: 'valid',
      value: 0.6,
      count: 6,
      of: 10,
      low: 0.2307242813,
      high: 0.8823792258,
    };
    const suite = { name: 'validation' };
    const lines: Line[] = [
      ...wins.map(rollout),
      { ...own, revision: 0, type: 'EvaluationRecorded', data: { suite, rollouts: 10, results: [valid] } },
      {
        ...{ ...own, revision: 1, type: 'TrainingRecorded' },
        // For the second and the last task one of two attempts succeeded.
        data: { learningSignal: [{ family: null, sampleGroups: 5, withVariance: 2, share: 0.4 }] },
      },
    ];
    const { status, stdout } = recheck(lines);
    expect(stdout).toMatch(/^rates from rollouts: \d+ recomputed, 0 differ$/m);
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^signal from rollouts: 3 recomputed, 0 differ$/m)]);
    const forged = lines.map((line, i) => (i === 4 ? rollout(1, 4) : line));
    expect(recheck(forged)).toMatchObject({ status: 1, stdout: expect.stringContaining('recorded 6, recomputed 7') });
    expect(recheck(lines.filter((_, i) => i !== 4)).stdout).toMatch(/^rates from rollouts: 0 recomputed/m);
  });
});
