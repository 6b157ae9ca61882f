// What can go wrong with a trainer, whichever it is.
import { IcecoreError } from '../../../schemas/errors.ts';

export class TrainerClosed extends IcecoreError {
  override readonly name = 'TrainerClosed';

  constructor(trainer: string) {
    super('internal', `the trainer ${trainer} is closed`, { facts: { trainer } });
  }
}

export class FolderTaken extends IcecoreError {
  override readonly name = 'FolderTaken';

  constructor(folder: string) {
    super('conflict', `the folder ${folder} holds what another training left`, {
      facts: { folder },
      remedy: 'Each training has a folder of its own. One is gone on with only where all it was asked for is the same.',
    });
  }
}
