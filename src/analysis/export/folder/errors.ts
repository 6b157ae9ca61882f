// What keeps an export from going into a folder.
import { IcecoreError } from '../../../../schemas/errors.ts';

/** It holds something that an export would destroy. */
export class FolderTaken extends IcecoreError {
  override readonly name = 'FolderTaken';

  constructor(folder: string, what: string) {
    super('conflict', `${folder} holds ${what}`, {
      facts: { folder, what },
      remedy: 'Nothing was written. Name a folder that is empty, or missing, or an earlier export of the same ledger.',
    });
  }
}
