import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Progress, Trained, TrainRequest } from '../../src/lab/trainers/trainer.ts';
import { decode } from '../neural/checkpoint.ts';
import { freshWeights } from '../neural/network.ts';
import { openGrpo } from './grpo.ts';
import { newAdam } from './learner.ts';
import { TrainingRecord } from './progress.ts';
import { CannotGoOn, type GivenSettings } from './settings.ts';
import { fileOf, savedIn } from './state.ts';
import { configured } from './testing/configured.ts';

/** Several updates with a save every few of them. */
const settings = { groups: 6, samples: 4, saveEvery: 3 };

const configuration = configured({ '3': { data: 1, hole: 0.1, wait: 0 } });

function request(change: Partial<TrainRequest> = {}): TrainRequest {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-grpo-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return {
    configuration,
    from: null,
    budget: { 'agent-steps': 2000 },
    seed: 'one',
    folder,
    ...change,
  };
}

async function trained(
  asked: TrainRequest,
  threads: number,
  given: GivenSettings = settings,
): Promise<{ progress: Progress[]; result: Trained }> {
  const trainer = openGrpo({ threads, settings: given });
  const progress: Progress[] = [];
  const training = trainer.train(asked);
  for (;;) {
    const next = await training.next();
    if (next.done === true) return { progress, result: next.value };
    progress.push(next.value);
  }
}

describe('training', () => {
  it('gives the same checkpoint with one thread and with three, and another with another seed', async () => {
    const digests = [];
    for (const [threads, seed] of [
      [1, 'one'],
      [3, 'one'],
      [2, 'two'],
    ] as const) {
      digests.push((await trained(request({ seed }), threads)).result.checkpoint?.digest);
    }
    expect(digests[1]).toBe(digests[0]);
    expect(digests[2]).not.toBe(digests[0]);
  });

  it('is another training with another hyper-parameter, and uses nothing of the first', async () => {
    const asked = request();
    const digestWith = async (folder: string, more: GivenSettings): Promise<unknown> => {
      const training = openGrpo({ threads: 2, settings: { ...settings, ...more } }).train({ ...asked, folder });
      for (;;) {
        const next = await training.next();
        if (next.done === true) return next.value.checkpoint?.digest;
      }
    };
    const usual = await digestWith(asked.folder, {});
    expect(await digestWith(request().folder, { bonus: undefined })).toBe(usual);
    for (const other of [
      ...[{ learningRate: 0.01 }, { groups: 10 }, { samples: 5 }, { bonus: 2 }, { entropy: 0.5 }],
      ...[{ stepPenalty: 0.05 }, { horizon: 0.25 }],
    ]) {
      expect(await digestWith(request().folder, other)).not.toBe(usual);
      await expect(digestWith(asked.folder, other)).rejects.toThrow('another training');
    }
  });

  it('uses hyper-parameters of a stage as if it had been opened with them', async () => {
    const digestOf = async (given: GivenSettings, change: Partial<TrainRequest>): Promise<unknown> => {
      const training = openGrpo({ threads: 2, settings: given }).train(request(change));
      for (;;) {
        const next = await training.next();
        if (next.done === true) return next.value.checkpoint?.digest;
      }
    };
    const ofStage = await digestOf(
      { ...settings, samples: 8 },
      { hyperparameters: { samples: 4, learningRate: 0.01 } },
    );
    expect(ofStage).toBe(await digestOf({ ...settings, learningRate: 0.01 }, {}));
  });

  it('gives the same result after a stop and resume', async () => {
    const { result } = await trained(request(), 1);
    const asked = request();
    const stop = new AbortController();
    const first = openGrpo({ threads: 1, settings });
    const cut = async (): Promise<void> => {
      for await (const progress of first.train({ ...asked, signal: stop.signal })) {
        if (progress.kind === 'saved') stop.abort(new Error('stopped'));
      }
    };
    await expect(cut()).rejects.toThrow('stopped');
    expect((await trained(asked, 2)).result.checkpoint?.digest).toBe(result.checkpoint?.digest);
  });

  it('reports the learning signal and the sampled tasks', async () => {
    const { result, progress } = await trained(request(), 2);
    expect(result.spent['agent-steps']).toBeGreaterThanOrEqual(2000);
    expect(result.sampled).toEqual([{ family: '3', tasks: expect.any(Number), share: 1 }]);
    expect(result.signal.map(({ family }) => family)).toEqual([null, '3']);
    expect(progress.some(({ kind }) => kind === 'point')).toBe(true);
  });

  it('keeps a curve of bounded length for any budget', () => {
    const record = new TrainingRecord(['3', '4', '5', '6', '7', '8', '9', '10'], 1e9);
    const taken = ['3', '4', '5', '6', '7', '8', '9', '10'].map((family) => {
      return { family, rewards: [1 / 3, 0], valid: 1, agentSteps: 7, entropy: 1 / 3, kl: 1 / 7, rollouts: '' };
    });
    for (let update = 1; update <= 12_000; update++) record.add(taken, update, (1e9 * update) / 12_000, false);
    expect(record.figures().curve.length).toBeLessThanOrEqual(1000);
    const weights = freshWeights('long');
    const state = { weights, average: weights, adam: newAdam(weights.length), reference: weights };
    const file = fileOf({ ...state, update: 12_000, updatesEver: 12_000, agentSteps: 1e9 }, 'long', record.written());
    expect(savedIn(decode(file)).record).toEqual(record.written());
  });

  it('refuses to resume from a damaged save', async () => {
    const asked = request();
    const { result } = await trained(asked, 1);
    const path = result.checkpoint?.reference as string;
    const bytes = readFileSync(path);
    bytes[bytes.length - 5] = (bytes[bytes.length - 5] as number) ^ 1;
    writeFileSync(path, bytes);
    await expect(trained(asked, 1)).rejects.toThrow(CannotGoOn);
    writeFileSync(path, bytes.subarray(0, 100));
    await expect(trained(asked, 1)).rejects.toThrow(path);
  });

  it.each([
    [{ budget: {} }, 'agent-steps'],
    [{ budget: { 'agent-steps': 0 } }, 'agent-steps'],
    [{ budget: { 'agent-steps': 10, tokens: 5 } }, 'tokens'],
    [{ configuration: { agents: 2 } }, 'sizes'],
  ])('refuses what cannot be trained: %j', async (change, message) => {
    await expect(trained(request(change as Partial<TrainRequest>), 1)).rejects.toThrow(message);
  });

  it('refuses a configuration without instances before training', async () => {
    const crowded = configured({ '3': { data: 1, hole: 0.9, wait: 1 } });
    const asked = request({ configuration: { ...crowded, agents: 6 } });
    await expect(trained(asked, 1)).rejects.toThrow(/no instance of any kind|hole/);
  });
});
