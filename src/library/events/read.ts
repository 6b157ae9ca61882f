// `event tail` and `event show`: events by type and stream, the last ones, or those after a cursor, once or continuously; and
// one event with its texts that are stored as blobs.
import { IcecoreError } from '../../../schemas/errors.ts';
import { didYouMean, nearestNames } from '../../../schemas/nearest.ts';
import { parseStream } from '../../../schemas/streams.ts';
import { blobsIn, type NamedBlob } from '../../../schemas/texts.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import { BlobMissing } from '../../ledger/blobs/errors.ts';
import { DamagedEvent } from '../../ledger/errors.ts';
import type { Cursor, CursorOrder } from '../../ledger/event.ts';
import { type Delivery, type Ledger, lastEventOf, type SubscribeOptions } from '../../ledger/ledger.ts';
import { Redactions } from '../../ledger/redactions.ts';
import { type StoredEvent, typesOf } from '../../ledger/stored.ts';
import { Follower } from '../following.ts';
import { blobsUrl, OpenedBlobs } from '../opening/blobs.ts';
import { findEvent } from '../opening/finder.ts';
import { openToRead, withLedgerToRead } from '../opening/ledger.ts';
import type { Session } from '../session.ts';
import { isReadable, unreadable } from './json.ts';

interface Selection {
  /** Only events of these types. */
  readonly types?: readonly string[];
  /** Only events of these streams. */
  readonly streams?: readonly string[];
  /** Only events after this cursor. */
  readonly after?: Cursor;
  /** Start with this number of existing events, the latest ones. */
  readonly last?: number;
}

/** Which events to read. */
export interface EventsOptions extends Selection {
  /** Maximum number of events. */
  readonly limit?: number;
}

/** Events in the order of the ledger, in batches. */
export async function* events(
  session: Session,
  { limit = Number.MAX_SAFE_INTEGER, ...selection }: EventsOptions = {},
): AsyncGenerator<readonly StoredEvent[], void, undefined> {
  const ledger = await openToRead(session);
  try {
    const from = await startOf(ledger, selection);
    const most = Math.min(limit, selection.last ?? limit);
    for await (const batch of ledger.readAll({ ...from, limit: most })) {
      yield batch;
      session.signal.throwIfAborted();
    }
  } finally {
    await ledger.close();
  }
}

/** Which events to follow, and whether to include evidence that no run has sealed yet. */
export interface FollowOptions extends Selection, Pick<SubscribeOptions, 'unsealed'> {}

/** Existing events, then new ones as they are recorded, until stopped. Waits for a store that does not answer. */
export async function* subscribe(
  session: Session,
  { unsealed = false, ...selection }: FollowOptions = {},
): AsyncGenerator<Delivery, void, undefined> {
  const { signal } = session;
  const follower = new Follower(session);
  const ledger = await openToRead(session, follower.onWait);
  try {
    let from = await startOf(ledger, selection);
    for await (const delivery of follower.following(() => ledger.subscribe({ ...from, unsealed, signal }))) {
      // Resume here if the store is unreachable.
      from = { ...from, after: delivery.cursor };
      yield delivery;
    }
  } finally {
    await ledger.close();
  }
}

/** How one cursor is to another: events after an earlier one include those after the later one. */
export async function compareCursors(session: Session, one: Cursor, other: Cursor): Promise<CursorOrder> {
  return await withLedgerToRead(session, async (ledger) => ledger.compareCursors(one, other));
}

/** The start of the selection. Throws if a type, a stream or the cursor is unknown. */
async function startOf(
  ledger: Ledger,
  { types = [], streams = [], after, last }: Selection,
): Promise<Pick<SubscribeOptions, 'types' | 'streams' | 'after'>> {
  await requireTypes(ledger, '--type', types);
  await requireStreams(ledger, '--stream', streams);
  if (after !== undefined) ledger.compareCursors(after, after);
  const selection = {
    ...(types.length === 0 ? {} : { types }),
    ...(streams.length === 0 ? {} : { streams }),
    ...(after === undefined ? {} : { after }),
  };
  return last === undefined ? selection : { ...selection, ...(await beforeLast(last, ledger, selection)) };
}

/** Reading backward only finds the start; reading forward from there keeps memory independent of the count. */
async function beforeLast(
  limit: number,
  ledger: Ledger,
  { after: earliest, ...selection }: Pick<SubscribeOptions, 'types' | 'streams' | 'after'>,
): Promise<{ readonly after?: Cursor }> {
  if (limit === 0) return { after: (await ledger.head()).cursor };
  let seen = 0;
  let place: Cursor | undefined;
  for await (const batch of ledger.readAll({ ...selection, backwards: true, limit: limit + 1 })) {
    seen += batch.length;
    place = batch.at(-1)?.cursor ?? place;
    if (place !== undefined && earliest !== undefined && ledger.compareCursors(place, earliest) !== 'after') return {};
  }
  return seen > limit && place !== undefined ? { after: place } : {};
}

/** Throws on the first type that is neither known nor recorded. */
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
    remedy: didYouMean(near, `Known types: ${known.join(', ')}.`),
  });
}

/** Throws on the first name that is neither valid nor used. */
async function requireStreams(ledger: Ledger, option: string, streams: readonly string[]): Promise<void> {
  for (const stream of streams) {
    if (parseStream(stream) !== null || (await lastEventOf(ledger, stream)) !== null) continue;
    throw new IcecoreError('usage', `${option}: "${stream}" is not the name of a stream`, {
      facts: { field: option, found: stream },
      remedy:
        'Stream names look like run-RUN, evidence-RUN-STAGE-PART-ATTEMPT or notes-RUN; icecore event tail shows them.',
    });
  }
}

/** What to read along with an event. */
export interface EventOptions {
  /** Also read its texts that are stored as blobs. */
  readonly texts?: boolean;
}

/** An event, with its texts that are stored as blobs. */
export interface EventFound {
  readonly event: StoredEvent;
  /** Its texts that are stored as blobs; empty unless requested. */
  readonly texts: readonly BlobText[];
}

/** A text that is stored as a blob. */
export type BlobText = NamedBlob & TextState;

/** The start of the text, or why it is not available. */
export type TextState =
  | { readonly state: 'whole' | 'shortened'; readonly text: string }
  | { readonly state: 'missing' | 'unreadable' | 'redacted' | 'erased'; readonly why: string };

/** One event, by its id, a prefix of an id, or STREAM@REVISION. */
export async function event(
  session: Session,
  reference: string,
  { texts = false }: EventOptions = {},
): Promise<EventFound> {
  return await withLedgerToRead(session, async (ledger) => {
    const found = await findEvent(session, ledger, reference);
    if (!isReadable(found)) throw new DamagedEvent(found.stream, found.revision, unreadable);
    return { event: found, texts: texts ? await textsOf(session, ledger, found) : [] };
  });
}

/** Its texts that are stored as blobs, each up to a number of bytes. */
export async function textsOf(
  session: Session,
  ledger: Ledger,
  { stream, envelope }: StoredEvent,
  maxBytes = usualBytes,
): Promise<BlobText[]> {
  const named = blobsIn(envelope.type, envelope.version, envelope.data).filter(({ isText }) => isText);
  if (named.length === 0) return [];
  const redactions = await new Redactions(ledger).look();
  const blobs = new OpenedBlobs(blobsUrl(session));
  try {
    const texts: BlobText[] = [];
    for (const one of named) {
      const redaction = redactions.find(stream, one.blob);
      texts.push({
        ...one,
        ...(await (redaction === null ? textOfBlob(blobs, one, maxBytes) : redactedText(blobs, one, redaction.by))),
      });
    }
    return texts;
  } finally {
    await blobs.close();
  }
}

async function textOfBlob(opened: OpenedBlobs, { blob }: NamedBlob, maxBytes: number): Promise<TextState> {
  try {
    const blobs = await opened.toRead();
    if (blobs === null) return { state: 'missing', why: `there is no blob store at ${opened.url}` };
    return await beginningOf(blobs, blob, maxBytes);
  } catch (error) {
    if (error instanceof BlobMissing) return { state: 'missing', why: `not in ${opened.url}` };
    return { state: 'unreadable', why: error instanceof Error ? error.message : String(error) };
  }
}

/** Does not show a text that its own run redacted; says if its blob still exists. */
async function redactedText(opened: OpenedBlobs, { blob }: NamedBlob, by: string): Promise<TextState> {
  const blobs = await opened.toRead().catch(() => null);
  const isThere = (await blobs?.has(blob).catch(() => false)) === true;
  if (!isThere) return { state: 'erased', why: `see ${by}` };
  return { state: 'redacted', why: `see ${by}; its blob is still in ${opened.url}` };
}

/** The maximum read of any text, unless a caller asks for more. */
const usualBytes = 16 * 1024;

async function beginningOf(blobs: Blobs, digest: string, maxBytes: number): Promise<TextState> {
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for await (const piece of blobs.read(digest)) {
    const some = piece.subarray(0, maxBytes - bytes);
    text += decoder.decode(some, { stream: true });
    bytes += some.byteLength;
    if (some.byteLength < piece.byteLength) return { state: 'shortened', text };
  }
  return { state: 'whole', text: text + decoder.decode() };
}
