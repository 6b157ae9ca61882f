// The path of a checkpoint may name anything in the file system: only regular files of limited size are read.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CheckpointMissing, maxCheckpointBytes, readCheckpoint } from './checkpoint.ts';

function placeInFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-checkpoint-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'network.safetensors');
}

const notRead = (): never => expect.fail('it was read');

describe('a checkpoint', () => {
  it.each([
    ['a FIFO', (path: string) => execFileSync('mkfifo', [path])],
    ['a device', (path: string) => symlinkSync('/dev/zero', path)],
    ['a folder', (path: string) => mkdirSync(path)],
    [
      `a file of ${maxCheckpointBytes + 1} bytes`,
      (path: string) => {
        writeFileSync(path, '');
        truncateSync(path, maxCheckpointBytes + 1);
      },
    ],
  ])('is not %s', async (found, make) => {
    const reference = placeInFolder();
    make(reference);
    await expect(readCheckpoint({ reference }, notRead)).rejects.toThrow(`${reference}: found ${found}, allowed:`);
  });

  it('reports a missing file', async () => {
    await expect(readCheckpoint({ reference: placeInFolder() }, notRead)).rejects.toThrow(CheckpointMissing);
  });
});
