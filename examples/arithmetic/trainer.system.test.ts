import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPython, openArithmetic } from '../../src/lab/environments/command/testing/arithmetic.ts';
import type { Configuration, Environment } from '../../src/lab/environments/environment.ts';
import { evaluate } from '../../src/lab/evaluation/evaluate.ts';
import { openPlaying } from '../../src/lab/policies/playing.ts';
import type { Checkpoint } from '../../src/lab/policies/policy.ts';
import { allowed } from '../../src/lab/programs/testing/allowed.ts';
import { openCommandTrainer } from '../../src/lab/trainers/command/open.ts';
import { followed, newFolder, trainerContract } from '../../src/lab/trainers/contract/trainer-contract.ts';
import type { Trained, Trainer, TrainRequest } from '../../src/lab/trainers/trainer.ts';

/** Without the site module, Python starts in half the time. */
const command = ['python3', '-S', fileURLToPath(new URL('./trainer.py', import.meta.url))] as const;
const variables = { PYTHONDONTWRITEBYTECODE: '1' };

function openTrainer(): Trainer {
  return openCommandTrainer({ program: allowed(command), environment: 'arithmetic', variables });
}

/** The share of each family, and the digits and terms of its problems. */
function configured(families: Readonly<Record<'addition' | 'multiplication' | 'chains', [number, number, number]>>) {
  const knobs = Object.entries(families).map(([family, [share, digits, terms]]) => [family, { share, digits, terms }]);
  return { families: Object.fromEntries(knobs), negatives: 0 };
}

const sensible = configured({ addition: [0.4, 2, 2], multiplication: [0.3, 1, 2], chains: [0.3, 1, 2] });
const hardest = configured({ addition: [0, 4, 4], multiplication: [1, 4, 4], chains: [0, 4, 4] });
const sums = configured({ addition: [1, 2, 2], multiplication: [0, 1, 2], chains: [0, 1, 2] });
const products = configured({ addition: [0, 2, 2], multiplication: [1, 1, 2], chains: [0, 1, 2] });

async function trained(configuration: Configuration, change: Partial<TrainRequest> = {}): Promise<Trained> {
  const request = { configuration, from: null, budget: { 'agent-steps': 20_000 }, seed: 'a', folder: newFolder() };
  return (await followed(openTrainer().train({ ...request, ...change }))).trained;
}

function bytesOf(checkpoint: Checkpoint | null): string {
  return readFileSync(checkpoint?.reference ?? '', 'utf8');
}

function skillsOf({ checkpoint }: Trained): Readonly<Record<string, readonly [number, ...number[]]>> {
  return JSON.parse(bytesOf(checkpoint)).skills;
}

describe.skipIf(!hasPython)('the trainer of the arithmetic example; skipped without Python', () => {
  trainerContract('command, training the pupil', {
    open: async () => openTrainer(),
    request: { configuration: sensible, budget: { 'agent-steps': 1500 }, seed: 'seven' },
    overshoot: { 'agent-steps': 8 * 8 * 16 },
  });

  it('improves with training and reports its curve', async () => {
    const { curve, signal, sampled, spent } = await trained(sensible);
    const valid = curve.map(({ values }) => values['valid'] as number);
    expect(valid[0]).toBeLessThan(0.5);
    expect(valid.at(-1)).toBeGreaterThan(0.8);
    const families = ['addition', 'chains', 'multiplication'];
    const names = families.flatMap((family) => [`valid/${family}`, `signal/${family}`]);
    expect(new Set(curve.flatMap(({ values }) => Object.keys(values)))).toEqual(
      new Set(['reward', 'valid', 'signal', ...names]),
    );
    expect(signal.map(({ family }) => family)).toEqual([null, ...families]);
    for (const [i, share] of [0.4, 0.3, 0.3].entries()) expect(sampled[i]?.share).toBeCloseTo(share, 1);
    expect(signal[0]?.sampleGroups).toBe(8 * (spent['updates'] as number));
  });

  it('learns nothing if all problems are too hard, and slowly forgets skills that it does not need', async () => {
    for (const own of Object.values(skillsOf(await trained(hardest)))) expect(own[0]).toBe(0.5);
    const once = await trained(sums);
    const later = await trained(products, { from: once.checkpoint });
    const [before, after] = [skillsOf(once)['addition']?.[0] ?? 0, skillsOf(later)['addition']?.[0] ?? 0];
    expect(before).toBeGreaterThan(0.9);
    expect(after).toBeLessThan(before);
    expect(after).toBeGreaterThan(0.75);
  });

  it('resumes from its save with the result of an uninterrupted training, and is deterministic given a seed', async () => {
    const folder = newFolder();
    const request = { configuration: sensible, budget: { updates: 60 }, seed: 'a', folder };
    const saved: Checkpoint[] = [];
    const training = openTrainer().train({ ...request, from: null });
    let whole: Trained | undefined;
    while (whole === undefined) {
      const next = await training.next();
      if (next.done === true) whole = next.value;
      else if (next.value.kind === 'saved') saved.push(next.value.checkpoint);
    }
    const checkpoint = saved[4] as Checkpoint;
    const spent = whole.curve.find(({ step }) => step === checkpoint.step)?.spent;
    const last = bytesOf(whole.checkpoint);
    const resume = { checkpoint, step: checkpoint.step, spent };
    const stage = { protocol: 1, environment: 'arithmetic', ...request, from: null, folder: newFolder(), resume };
    const { stdout } = spawnSync(command[0], command.slice(1), {
      input: JSON.stringify(stage),
      encoding: 'utf8',
      env: { ...process.env, ...variables },
    });
    const { done } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    expect(readFileSync(done.checkpoint.file, 'utf8')).toBe(last);
    expect(done).toMatchObject({ spent: whole.spent, learningSignal: whole.signal, sampled: whole.sampled });
    expect(bytesOf((await trained(sensible, { budget: { updates: 60 } })).checkpoint)).toBe(last);
    expect(bytesOf((await trained(sensible, { budget: { updates: 60 }, seed: 'b' })).checkpoint)).not.toBe(last);
  });

  it('names the budgets that it supports', async () => {
    await expect(trained(sensible, { budget: { tokens: 5 } })).rejects.toThrow(
      'budget: found tokens, allowed: agent-steps, updates',
    );
  });

  describe('the environment runs a trained pupil', () => {
    let environment: Environment;
    beforeAll(async () => {
      environment = await openArithmetic();
    });
    afterAll(() => environment.close());

    async function validOf(checkpoint: Checkpoint | null): Promise<number> {
      const policy = openPlaying({ environment, name: 'pupil', checkpoint });
      const evaluation = evaluate(environment, policy, { suites: ['short'], samples: 2, seed: 'a' });
      for (;;) {
        const next = await evaluation.next();
        if (next.done !== true) continue;
        return next.value.results.find(({ family, measure }) => family === null && measure === 'valid')
          ?.value as number;
      }
    }

    it('which beats a pupil trained on the hardest family alone and an untrained one', async () => {
      const one = await validOf((await trained(sensible)).checkpoint);
      for (const other of [(await trained(hardest)).checkpoint, null]) {
        const valid = await validOf(other);
        expect(valid).toBeLessThan(0.1);
        expect(one).toBeGreaterThan(valid + 0.1);
      }
    });
  });
});
