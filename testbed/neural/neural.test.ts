// Invalid input of the neural policy.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { listed } from '../../src/lab/environments/contract/tasks.ts';
import type { Task } from '../../src/lab/environments/environment.ts';
import { writeBase } from '../grpo/base.ts';
import { startConfiguration } from '../lake/configuration.ts';
import { openLake } from '../lake/environment.ts';
import { NotAnInstance } from '../lake/instance.ts';
import { CheckpointChanged, CheckpointMissing, encode, NotSafetensors, WrongCheckpoint } from './checkpoint.ts';
import { openNeural } from './neural.ts';

const folder = mkdtempSync(join(tmpdir(), 'icecore-neural-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const checkpoint = await writeBase(startConfiguration, 'one', folder);

describe('the neural policy', () => {
  it('reports an invalid task, and stays usable', async () => {
    const lake = openLake();
    const tasks = await listed(lake.generate({ configuration: lake.start, split: 'validation', count: 5, seed: 'a' }));
    const policy = await openNeural(checkpoint, { threads: 1 });
    try {
      const whole = await listed(policy.plan({ tasks, seed: 'a' }));
      const nonsense: Task = { id: 'none', family: '3', instance: { number: 7 }, facts: {} };
      await expect(listed(policy.plan({ tasks: [nonsense], seed: 'a' }))).rejects.toThrow(NotAnInstance);
      expect(await listed(policy.plan({ tasks, seed: 'a' }))).toEqual(whole);
    } finally {
      await policy.close();
    }
  });

  it('reports which file is not its checkpoint, and why', async () => {
    const file = readFileSync(checkpoint.reference);
    const written = (name: string, bytes: Uint8Array): { reference: string } => {
      const reference = join(folder, name);
      writeFileSync(reference, bytes);
      return { reference };
    };
    const cut = written('cut', file.subarray(0, 1000));
    await expect(openNeural(cut)).rejects.toThrow(NotSafetensors);
    await expect(openNeural(cut)).rejects.toThrow(cut.reference);
    const other = written('other', encode({ tensors: [], metadata: { architecture: 'another/1' } }));
    await expect(openNeural(other)).rejects.toThrow(WrongCheckpoint);
    await expect(openNeural(other)).rejects.toThrow(/other is not for .* found another\/1/);
    const flipped = file.with(-9, (file.at(-9) as number) ^ 1);
    const changed = { ...written('flipped', flipped), digest: checkpoint.digest as string };
    await expect(openNeural(changed)).rejects.toThrow(CheckpointChanged);
    await expect(openNeural({ reference: join(folder, 'none') })).rejects.toThrow(CheckpointMissing);
  });
});
