// Erases texts: destroys the blobs that events name and records that, so that digests, chains and proofs still hold and
// everybody can see that something was there. The record comes first: whatever happens then, it says what must be gone.
import { codeOf, type EventData, type NewEventOf, versionOf } from '../../../schemas/catalogue.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { parseStream, streamOf } from '../../../schemas/streams.ts';
import { blobsIn, textsIn } from '../../../schemas/texts.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import { eventId, sha256 } from '../../ledger/identity/ids.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import { gatherVouchers } from '../../ledger/verify/vouchers.ts';

export interface Redaction {
  /** Ids of events, whole or unique beginnings. */
  readonly ids: readonly string[];
  readonly reason: string;
  readonly actor: string;
}

export interface Redacted {
  readonly event: string;
  readonly place: string;
  readonly field: string;
  readonly blob: string;
  /** The Redacted event that says so; another than this call's where it was erased before. */
  readonly by: string;
  readonly isNew: boolean;
}

export interface Redactions {
  readonly erased: readonly Redacted[];
  /** What of these events' texts stands in the events themselves and cannot be erased. */
  readonly remains: readonly { readonly event: string; readonly place: string; readonly field: string }[];
}

type Erased = EventData['Redacted']['erased'][number];

/** Everything is looked at before anything is destroyed. Throws EventNotFound, CannotRedact. */
export async function redact(ledger: Ledger, blobs: Blobs, { ids, reason, actor }: Redaction): Promise<Redactions> {
  const events = await Promise.all([...new Set(ids)].map((id) => theEvent(ledger, id)));
  const { vouchers } = await gatherVouchers(ledger, null);
  const wanted = events.map((event) => ({ event, into: recordedIn(event), texts: textsOf(event) }));
  const remains = wanted.flatMap(({ event, texts }) =>
    texts.staying.map((field) => ({ event: event.id, place: placeOf(event), field })),
  );
  const by = new Map(vouchers.erased);
  const old = new Set(by.keys());
  const fresh = new Map<string, Erased[]>();
  for (const { event, into, texts } of wanted) {
    for (const { field, blob } of texts.blobs) {
      if (!old.has(blob)) listIn(fresh, into).push({ event: event.id, stream: event.stream, field, blob });
    }
  }
  for (const [stream, erased] of fresh) {
    const revision = await record(ledger, stream, erased, reason, actor);
    for (const { blob } of erased) by.set(blob, `${stream}@${revision}`);
  }
  const erased: Redacted[] = [];
  for (const { event, texts } of wanted) {
    for (const { field, blob } of texts.blobs) {
      await blobs.erase(blob);
      erased.push({
        event: event.id,
        place: placeOf(event),
        field,
        blob,
        by: by.get(blob) ?? '',
        isNew: !old.has(blob),
      });
    }
  }
  return { erased, remains };
}

async function theEvent(ledger: Ledger, id: string): Promise<StoredEvent> {
  const [event, another] = await ledger.find(id, 2);
  if (event === undefined) throw new EventNotFound(id, ledger.url);
  if (another !== undefined) throw new AmbiguousId(id);
  return event;
}

/** Where its redaction is recorded: beside the run, so that it disturbs nobody who writes. */
function recordedIn(event: StoredEvent): string {
  const name = parseStream(event.stream);
  if (name?.category === 'evidence') return streamOf.notes(name.run);
  if (name?.category === 'answer') return event.stream;
  const why =
    name?.category === 'notes' || name?.category === 'work' ? 'it holds no text in a blob' : 'decisions stand';
  throw new CannotRedact(event, why);
}

interface Texts {
  readonly blobs: readonly { readonly field: string; readonly blob: string }[];
  /** Fields whose text, or the beginning of it, stands in the event. */
  readonly staying: readonly string[];
}

function textsOf(event: StoredEvent): Texts {
  const { type, version, data } = event.envelope;
  const named = blobsIn(type, version, data);
  const inline = textsIn(type, version, data).map(({ field }) => field);
  if (named.length === 0) {
    const why = inline.length > 0 ? `its text stands in the event itself (${inline.join(', ')})` : 'it holds no text';
    throw new CannotRedact(event, why);
  }
  const previews = named.flatMap(({ field, preview }) => (preview === null ? [] : [`${field}.preview`]));
  return { blobs: named, staying: [...inline, ...previews] };
}

/** The same texts for the same reason have the same id: what was interrupted can be repeated. */
async function record(
  ledger: Ledger,
  stream: string,
  erased: readonly Erased[],
  reason: string,
  actor: string,
): Promise<number> {
  const name = parseStream(stream);
  const run = name?.category === 'notes' ? name.run : null;
  const index = Number.parseInt(sha256(JSON.stringify([reason, erased])).slice(0, 10), 16);
  const event: NewEventOf<'Redacted'> = {
    id: eventId({ run: run ?? stream, stage: 0, kind: codeOf('Redacted'), index }),
    type: 'Redacted',
    version: versionOf('Redacted'),
    at: new Date().toISOString(),
    actor,
    run,
    stage: null,
    causes: [...new Set(erased.map(({ event }) => event))].map((event) => ({ event })),
    data: { reason, erased },
  };
  return (await ledger.append(stream, [event], { expect: 'any' })).revision;
}

function listIn<Item>(lists: Map<string, Item[]>, key: string): Item[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

function placeOf({ stream, revision }: StoredEvent): string {
  return `${stream}@${revision}`;
}

export class EventNotFound extends IcecoreError {
  override readonly name = 'EventNotFound';

  constructor(id: string, url: string) {
    super('not-found', `there is no event ${id} in ${url}`, { facts: { id, url }, remedy: 'Nothing was erased.' });
  }
}

export class AmbiguousId extends IcecoreError {
  override readonly name = 'AmbiguousId';

  constructor(id: string) {
    super('usage', `the ids of several events begin with ${id}`, {
      facts: { id },
      remedy: 'Nothing was erased. Write more of the id.',
    });
  }
}

export class CannotRedact extends IcecoreError {
  override readonly name = 'CannotRedact';

  constructor(event: StoredEvent, why: string) {
    super('unsupported', `${placeOf(event)}, a ${event.type}, cannot be redacted: ${why}`, {
      facts: { event: event.id, place: placeOf(event), type: event.type },
      remedy: 'Nothing was erased. Only texts kept as blobs can be: record them with append --texts blobs.',
    });
  }
}
