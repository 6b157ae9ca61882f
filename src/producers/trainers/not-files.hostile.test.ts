// The folder of a run came with a foreign ledger. In place of a training's file there is a FIFO without a writer, or a
// link to an endless device: resuming reports it, and waits for neither.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { latestIn } from '../../../testbed/grpo/state.ts';
import { registry } from '../../../testbed/testing/registry.ts';
import { Journal, journalName } from '../../lab/trainers/command/messages.ts';
import { occupy, stateOfFolder, trainingName } from './folder.ts';
import { anyCheckpoint, checkpointsOn, ownCheckpoint } from './trainers.ts';

const training = {
  environment: 'lake',
  trainer: { name: 'grpo', version: '1' },
  configuration: {},
  budget: {},
  seed: '1',
  from: null,
};

const readers: Readonly<Record<string, (folder: string) => Promise<unknown>>> = {
  'icecore-training.lock': occupy,
  [trainingName]: (folder) => stateOfFolder(folder, training),
  [journalName]: (folder) => new Journal(folder, 'a'.repeat(64)).read(folder),
  'update-7.safetensors': (folder) => latestIn({ folder, training: 'a'.repeat(64) }),
  'base.safetensors': (folder) => ownCheckpoint('base.safetensors', folder, checkpointsOn(registry, 'lake')),
  weights: (folder) => anyCheckpoint('weights', folder),
};

const others: Readonly<Record<string, (path: string) => void>> = {
  'a FIFO': (path) => execFileSync('mkfifo', [path]),
  'a device': (path) => symlinkSync('/dev/zero', path),
  'a folder': (path) => symlinkSync(dirname(path), path),
};

const both = Object.keys(readers)
  .flatMap((name) => Object.keys(others).map((found) => ({ name, found })))
  .filter(({ name, found }) => found !== 'a folder' || !['base.safetensors', 'weights'].includes(name));

describe("in place of a training's file", () => {
  it.each(both)('$found is not read as $name', async ({ name, found }) => {
    const folder = mkdtempSync(join(tmpdir(), 'icecore-training-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    others[found]?.(join(folder, name));
    await expect(readers[name]?.(folder)).rejects.toMatchObject({
      name: 'NotRegularFile',
      facts: { path: join(folder, name), found },
    });
  });
});
