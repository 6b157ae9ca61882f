// Which types and streams were asked for. Those that this icecore does not know are meant as well where the ledger has events of
// them: only what is neither known nor there is a slip of the hand.
import { IcecoreError } from '../../../schemas/errors.ts';
import { nearestNames } from '../../../schemas/nearest.ts';
import { parseStream } from '../../../schemas/streams.ts';
import { type Ledger, lastOf } from '../../ledger/ledger.ts';
import { typesOf } from '../../ledger/own-types.ts';

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
