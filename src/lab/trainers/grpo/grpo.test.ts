import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Progress, Trained, TrainRequest } from '../trainer.ts';
import { openGrpo } from './grpo.ts';
import { configured } from './testing/configured.ts';

const configuration = configured({ '3': { data: 1, hole: 0.1, wait: 0 } });

function request(change: Partial<TrainRequest> = {}): TrainRequest {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-grpo-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return {
    configuration,
    from: null,
    budget: { decisions: 8000 },
    seed: 'one',
    folder,
    ...change,
  };
}

async function trained(asked: TrainRequest, threads: number): Promise<{ progress: Progress[]; result: Trained }> {
  const trainer = openGrpo({ threads, settings: { groups: 16, samples: 4, saveEvery: 5 } });
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

  it('goes on after a stop as if it had never been', async () => {
    const { result } = await trained(request(), 1);
    const asked = request();
    const stop = new AbortController();
    const first = openGrpo({ threads: 1, settings: { groups: 16, samples: 4, saveEvery: 5 } });
    const cut = async (): Promise<void> => {
      for await (const told of first.train({ ...asked, signal: stop.signal })) {
        if (told.kind === 'saved') stop.abort(new Error('stopped'));
      }
    };
    await expect(cut()).rejects.toThrow('stopped');
    expect((await trained(asked, 2)).result.checkpoint?.digest).toBe(result.checkpoint?.digest);
  });

  it('tells how much there was to learn, and what was drawn', async () => {
    const { result, progress } = await trained(request(), 2);
    expect(result.spent['decisions']).toBeGreaterThanOrEqual(8000);
    expect(result.sampled).toEqual([{ group: '3', instances: expect.any(Number), share: 1 }]);
    expect(result.signal.map(({ group }) => group)).toEqual([null, '3']);
    expect(progress.some(({ kind }) => kind === 'point')).toBe(true);
  });
});
