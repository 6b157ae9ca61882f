// Checkpoints in files: read whole, and only where they are what was recorded of them.
import { hash } from 'node:crypto';
import { IcecoreError } from '../../../../schemas/errors.ts';
import { NotRegularFile, readRegularFile } from '../../../base/regular-file.ts';
import type { Checkpoint } from '../policy.ts';
import { WrongCheckpoint } from './checkpoint.ts';
import { decode, NotSafetensors, type TensorFile } from './safetensors.ts';

export class CheckpointMissing extends IcecoreError {
  override readonly name = 'CheckpointMissing';

  constructor(path: string, cause: unknown) {
    super('not-found', `${path}: there is no checkpoint that can be read`, { facts: { path }, cause });
  }
}

export class CheckpointChanged extends IcecoreError {
  override readonly name = 'CheckpointChanged';

  constructor(path: string, found: string, recorded: string) {
    super('damaged', `${path}: this is not the checkpoint that was recorded: its digest is ${found}, not ${recorded}`, {
      facts: { path, found, recorded },
    });
  }
}

/** Many times what the network and its optimiser take. */
export const mostCheckpointBytes = 256 * 2 ** 20;

/** Throws CheckpointMissing, NotRegularFile, CheckpointChanged, NotSafetensors or what `read` finds, each with the path. */
export async function readCheckpoint<Read>(
  { reference, digest }: Checkpoint,
  read: (file: TensorFile) => Read,
): Promise<Read> {
  const file = bytesOf(reference);
  const found = hash('sha256', file);
  if (digest !== undefined && digest !== found) throw new CheckpointChanged(reference, found, digest);
  try {
    return read(decode(file));
  } catch (error) {
    if (error instanceof NotSafetensors || error instanceof WrongCheckpoint) throw error.in(reference);
    throw error;
  }
}

function bytesOf(path: string): Buffer {
  try {
    return readRegularFile(path, mostCheckpointBytes);
  } catch (error) {
    throw error instanceof NotRegularFile ? error : new CheckpointMissing(path, error);
  }
}
