// Where to begin: after which cursor the events that are asked for stand, and how many of them to show.
import type { Cursor } from '../../ledger/event.ts';
import type { Ledger } from '../../ledger/ledger.ts';

export interface Wanted {
  readonly types?: readonly string[];
  readonly streams?: readonly string[];
}

export interface Asked {
  readonly after?: Cursor;
  readonly follow?: true;
  /** Null where no number was asked for. */
  readonly number: number | null;
}

export interface Range {
  readonly after: { readonly after?: Cursor };
  readonly limit: number;
}

const shownByDefault = 20;

/**
 * After a cursor, programs read page by page, so a number is that of the first events there. Who follows wants what is
 * new: then it is that of the last ones, as it is without a cursor.
 */
export async function rangeOf(ledger: Ledger, wanted: Wanted, { after, follow, number }: Asked): Promise<Range> {
  if (after !== undefined && (number === null || follow === undefined))
    return { after: { after }, limit: number ?? Number.MAX_SAFE_INTEGER };
  const limit = number ?? shownByDefault;
  return { after: await beforeLast(limit, ledger, wanted, after), limit };
}

/** Going back only finds the place; reading forward from there, memory does not grow with the number asked for. */
async function beforeLast(
  limit: number,
  ledger: Ledger,
  wanted: Wanted,
  earliest: Cursor | undefined,
): Promise<Range['after']> {
  if (limit === 0) return { after: (await ledger.head()).cursor };
  const start = earliest === undefined ? {} : { after: earliest };
  let seen = 0;
  let place: Cursor | undefined;
  for await (const events of ledger.readAll({ ...wanted, backwards: true, limit: limit + 1 })) {
    seen += events.length;
    place = events.at(-1)?.cursor ?? place;
    if (place !== undefined && earliest !== undefined && ledger.compareCursors(place, earliest) !== 'after')
      return start;
  }
  return seen > limit && place !== undefined ? { after: place } : start;
}
