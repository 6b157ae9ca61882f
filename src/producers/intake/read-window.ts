// Reads the pieces of a window: the events that are to be appended, and what holds none.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Defaults } from './incoming.ts';
import type { Piece } from './piece.ts';
import { readPiece } from './reading.ts';
import { asItWas } from './rejects.ts';
import type { Refused, Taken } from './window.ts';

/** A window whose pieces were read, not yet written. */
export interface Read {
  readonly taken: readonly Taken[];
  readonly refused: Refused[];
  readonly bytes: number;
}

export function readWindow(window: readonly Piece[], limit: number, defaults: Defaults): Read {
  const taken: Taken[] = [];
  const refused: Refused[] = [];
  let bytes = 0;
  for (const sent of window) {
    bytes += sent.size;
    const piece = asItWas(sent);
    try {
      taken.push({ piece, ...readPiece(piece, limit, defaults) });
    } catch (fault) {
      if (!(fault instanceof IcecoreError)) throw fault;
      refused.push({ piece, fault });
    }
  }
  return { taken, refused, bytes };
}
