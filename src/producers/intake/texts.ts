// Takes texts out of events, to be kept as blobs: one in a blob can be erased later, and one that is too long for an event
// has room there. The event then names the blob, by a digest that is the same whenever the same text comes again.
import { checkEvent } from '../../../schemas/catalogue.ts';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { replaceTexts } from '../../../schemas/texts.ts';
import { sha256 } from '../../ledger/identity/ids.ts';
import type { Incoming } from './incoming.ts';
import { mentions } from './mentions.ts';
import type { Piece } from './piece.ts';

/** How long a text may be, in bytes of UTF-8, to stand in its event. */
export const longestInline = { byDefault: 32 * 1024, nothing: -1, everything: Number.POSITIVE_INFINITY } as const;

/** A text that is to be kept as a blob. */
export interface OwnText {
  readonly digest: string;
  readonly text: string;
}

/** An event as it is to be appended, with the texts of the blobs that are its own. */
export interface Outgoing {
  readonly event: NewEvent;
  readonly texts: readonly OwnText[];
}

const none: readonly OwnText[] = Object.freeze([]);

/** The event of a piece, without the texts that are longer than that. */
export function takeOutTexts(incoming: Incoming, piece: Piece, longest: number): Outgoing {
  return mayHoldText(piece, longest) ? takenOut(incoming, longest) : { event: incoming.event, texts: none };
}

/** A text takes at least its own bytes in JSON: most pieces need not be walked through. */
function mayHoldText({ size, bytes }: Piece, longest: number): boolean {
  return size > longest && mentions(bytes, 'text');
}

function takenOut({ stream, event }: Incoming, longest: number): Outgoing {
  const texts: OwnText[] = [];
  const data = replaceTexts(event.type, event.version, event.data, ({ text }) => {
    const bytes = Buffer.byteLength(text);
    // Half a surrogate has no UTF-8: the event is refused for it as it stands.
    if (bytes <= longest || !text.isWellFormed()) return null;
    const digest = sha256(text);
    texts.push({ digest, text });
    return { blob: digest, bytes };
  });
  // What breaks the catalogue is left as it was written: a blob in its place would hide what is wrong.
  if (texts.length === 0 || checkEvent(stream, event).length > 0) return { event, texts: none };
  return { event: { ...event, data }, texts };
}
