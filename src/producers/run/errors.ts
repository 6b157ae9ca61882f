// What a ledger asks for that no run does.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Checkpoint } from '../../lab/policies/policy.ts';

export class CheckpointOutside extends IcecoreError {
  override readonly name = 'CheckpointOutside';

  constructor({ reference, digest }: Checkpoint) {
    super('untrusted', `the ledger names the file ${reference} as a checkpoint: its checkpoints are in its blobs`, {
      facts: { path: reference, digest },
      remedy: 'Nothing outside of the blobs is read for a ledger. Begin a run of your own with --policy FILE.',
    });
  }
}
