import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Progress, Trained, TrainRequest } from '../../src/lab/trainers/trainer.ts';
import { openGrpo } from './grpo.ts';
import type { GivenSettings } from './settings.ts';
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
  it('learns: plans for its training tasks become valid', async () => {
    const { result } = await trained(request({ budget: { 'agent-steps': 60_000 } }), 2, { ...settings, groups: 16 });
    const valid = result.curve.map(({ values }) => values['valid'] as number);
    expect(Math.max(...valid.slice(-5))).toBeGreaterThan(0.3);
    expect(Math.max(...valid.slice(0, 3))).toBeLessThan(0.2);
  });
});
