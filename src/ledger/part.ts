// A store that was made as a part of a split ledger, and is none by itself: who writes to it alone puts what belongs into the other
// part where nobody looks for it.
import { IcecoreError } from '../../schemas/errors.ts';
import type { Ledger } from './ledger.ts';

/** As it is written down where a part is made. */
export function partIn(text: unknown): Ledger['part'] {
  return text === 'decisions' || text === 'evidence' ? text : undefined;
}

export class PartAlone extends IcecoreError {
  override readonly name = 'PartAlone';

  constructor(url: string, part: 'decisions' | 'evidence') {
    super('conflict', `${url} has the ${part} of a split ledger, and is none by itself`, {
      facts: { url, part },
      remedy:
        'Name both parts: split:DECISIONS+EVIDENCE. By itself it can be looked at, and neither written nor copied.',
    });
  }
}
