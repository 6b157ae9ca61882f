// Apart from the other errors of a ledger: an event itself can say that it is damaged.
import { IcecoreError } from '../../schemas/errors.ts';

/** An event whose bytes are not what its digest says, or that is filed as something it is not. */
export class DamagedEvent extends IcecoreError {
  override readonly name = 'DamagedEvent';
  readonly stream: string;
  readonly revision: number;

  constructor(stream: string, revision: number, what: string) {
    super('damaged', `${stream}@${revision}: ${what}`, {
      facts: { stream, revision, what },
      remedy: 'Run `icecore verify` on the ledger it came from.',
    });
    this.stream = stream;
    this.revision = revision;
  }
}
