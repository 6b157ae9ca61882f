// Reads the pieces of a window: the events that are to be appended, and what holds none.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Defaults } from './incoming.ts';
import type { Piece } from './piece.ts';
import { readPiece } from './reading.ts';
import { asItWas } from './rejects.ts';
import { takeOutTexts } from './texts.ts';
import type { Refused, Taken } from './window.ts';

/** A window whose pieces were read, not yet written. */
export interface Read {
  readonly taken: readonly Taken[];
  readonly refused: Refused[];
  readonly bytes: number;
}

export interface ReadOptions {
  /** Pieces of more bytes are refused unread. */
  readonly limit: number;
  readonly defaults: Defaults;
  /** Texts of more bytes are taken out of their events. */
  readonly longestInline: number;
}

export function readWindow(window: readonly Piece[], { limit, defaults, longestInline }: ReadOptions): Read {
  const taken: Taken[] = [];
  const refused: Refused[] = [];
  let bytes = 0;
  for (const sent of window) {
    bytes += sent.size;
    const piece = asItWas(sent);
    try {
      const incoming = readPiece(piece, limit, defaults);
      taken.push({ piece, stream: incoming.stream, ...takeOutTexts(incoming, piece, longestInline) });
    } catch (fault) {
      if (!(fault instanceof IcecoreError)) throw fault;
      refused.push({ piece, fault });
    }
  }
  return { taken, refused, bytes };
}
