// An event that was recorded once and is sent again carries its digest. Then it must be what was recorded: a line that was
// altered on its way is not taken for the original.

import { canonicalJson } from '../../../schemas/canonical.ts';
import type { Fields } from '../../../schemas/cloudevents.ts';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { sha256 } from '../../ledger/identity/ids.ts';
import { badPiece } from './faults.ts';

/** Throws BadPiece when the digest is not that of the event at the place in its stream that it names. */
export function requireAsRecorded(fields: Fields, stream: string, event: NewEvent): void {
  const { digest, revision, previous } = fields;
  if (revision === undefined || previous === undefined) {
    throw badPiece(
      'digest',
      'a digest without `revision` and `previous`, which it covers',
      'all three, or none',
      remedy,
    );
  }
  const computed = sha256(canonicalJson({ ...event, stream, revision, previous }));
  if (computed !== digest) {
    throw badPiece('digest', 'that of another event: this one was altered', `${computed}, or no digest`, remedy);
  }
}

const remedy = 'To send it as an event of its own, leave out digest, revision and previous, and give it a new id.';
