// One training of the embedded trainer, from scratch, in a folder that is gone afterwards.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { LakeConfiguration } from '../../src/lab/lake/configuration.ts';
import type { Checkpoint } from '../../src/lab/policies/policy.ts';
import { openGrpo } from '../../src/lab/trainers/grpo/grpo.ts';
import { inFolder } from '../folder.ts';

export interface Asked {
  readonly configuration: LakeConfiguration;
  readonly decisions: number;
  readonly seed: string;
  readonly threads: number;
  /** Milliseconds after which it is stopped, wherever it is. */
  readonly limit?: number;
}

export interface Trained {
  readonly updates: number;
  readonly decisions: number;
  /** From when the first update was over, until the last was: without what it takes to begin. */
  readonly milliseconds: number;
}

const untimed = 2 ** 31 - 1;

/** What is made of its last checkpoint, and how long it took. */
export async function train<Result>(
  { configuration, decisions, seed, threads, limit = untimed }: Asked,
  use: (checkpoint: Checkpoint, trained: Trained) => Promise<Result>,
): Promise<Result> {
  return await inFolder(async (folder) => {
    const trainer = openGrpo({ threads, settings: { saveEvery: 50 } });
    const begun = performance.now();
    const signal = AbortSignal.timeout(limit);
    const budget = { decisions };
    let trained: Trained = { updates: 0, decisions: 0, milliseconds: 0 };
    try {
      const request = { configuration: { ...configuration }, from: null, budget, seed, folder, signal };
      for await (const told of trainer.train(request)) {
        if (told.kind === 'saved') continue;
        const { step, spent } = told.point;
        trained = { updates: step, decisions: spent?.['decisions'] ?? 0, milliseconds: performance.now() - begun };
      }
    } catch (error) {
      if (error !== signal.reason) throw error;
    } finally {
      await trainer.close();
    }
    return await use(lastIn(folder), trained);
  });
}

/** Whoever is stopped saves once more. */
function lastIn(folder: string): Checkpoint {
  const steps = readdirSync(folder).flatMap((name) => Number(/^update-(\d+)\.safetensors$/.exec(name)?.[1] ?? []));
  const step = Math.max(...steps);
  return { reference: join(folder, `update-${step}.safetensors`), step };
}
