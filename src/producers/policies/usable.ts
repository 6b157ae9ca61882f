// A checkpoint in a file, looked at before anybody relies on it.
import { readRegularFile } from '../../base/regular-file.ts';
import {
  decode,
  mostCheckpointBytes,
  NotSafetensors,
  type TensorFile,
  WrongCheckpoint,
} from '../../lab/policies/neural/checkpoint.ts';
import type { Checkpoint } from '../../lab/policies/policy.ts';
import { sha256 } from '../../ledger/identity/ids.ts';
import { BadCheckpoint } from './errors.ts';

/** With what it is by its bytes. Throws NotRegularFile, and BadCheckpoint where what is to be made of it cannot be. */
export async function usableCheckpoint(path: string, read: (file: TensorFile) => unknown): Promise<Checkpoint> {
  const bytes = readRegularFile(path, mostCheckpointBytes);
  try {
    read(decode(bytes));
  } catch (fault) {
    if (fault instanceof NotSafetensors || fault instanceof WrongCheckpoint) throw new BadCheckpoint(path, fault);
    throw fault;
  }
  return { reference: path, digest: sha256(bytes), bytes: bytes.length };
}
