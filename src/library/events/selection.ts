// Which events are meant: by type and stream, and where the last of them begin.
import { IcecoreError } from '../../../schemas/errors.ts';
import { nearestNames } from '../../../schemas/nearest.ts';
import { parseStream } from '../../../schemas/streams.ts';
import type { Cursor } from '../../ledger/event.ts';
import { type Ledger, lastOf } from '../../ledger/ledger.ts';
import { typesOf } from '../../ledger/own-types.ts';

export interface Selection {
  readonly types?: readonly string[];
  readonly streams?: readonly string[];
}

/** Going back only finds the place; reading forward from there, memory does not grow with the number asked for. */
export async function beforeLast(
  limit: number,
  ledger: Ledger,
  selection: Selection,
  earliest: Cursor | undefined,
): Promise<{ readonly after?: Cursor }> {
  if (limit === 0) return { after: (await ledger.head()).cursor };
  const start = earliest === undefined ? {} : { after: earliest };
  let seen = 0;
  let place: Cursor | undefined;
  for await (const events of ledger.readAll({ ...selection, backwards: true, limit: limit + 1 })) {
    seen += events.length;
    place = events.at(-1)?.cursor ?? place;
    if (place !== undefined && earliest !== undefined && ledger.compareCursors(place, earliest) !== 'after')
      return start;
  }
  return seen > limit && place !== undefined ? { after: place } : start;
}

/** Throws on the first type that is neither known nor there. */
export async function requireTypes(ledger: Ledger, option: string, types: readonly string[]): Promise<void> {
  const known = typesOf(ledger);
  for (const type of types) {
    if (!known.has(type) && !(await isThere(ledger, type))) throw unknownType(option, type, [...known.keys()]);
  }
}

async function isThere(ledger: Ledger, type: string): Promise<boolean> {
  for await (const events of ledger.readAll({ types: [type], limit: 1 })) if (events.length > 0) return true;
  return false;
}

function unknownType(option: string, type: string, known: readonly string[]): IcecoreError {
  const near = nearestNames(type, known);
  return new IcecoreError('usage', `${option}: there is no event type "${type}"`, {
    facts: { field: option, found: type, allowed: known, nearest: near },
    remedy: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `There are ${known.join(', ')}.`,
  });
}

/** Throws on the first name that is not that of a stream, and that no stream has. */
export async function requireStreams(ledger: Ledger, option: string, streams: readonly string[]): Promise<void> {
  for (const stream of streams) {
    if (parseStream(stream) !== null || (await lastOf(ledger, stream)) !== null) continue;
    throw new IcecoreError('usage', `${option}: "${stream}" is not the name of a stream`, {
      facts: { field: option, found: stream },
      remedy:
        'Streams are called run-RUN, evidence-RUN-STAGE-PART-ATTEMPT, notes-RUN and the like: icecore event tail shows them.',
    });
  }
}
