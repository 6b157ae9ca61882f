// The blobs that an event names.
import { eventTypes } from '../../schemas/catalogue.ts';
import type { NewEvent } from '../../schemas/envelope.ts';
import { isChained } from '../../schemas/streams.ts';
import { blobsIn, type NamedBlob } from '../../schemas/texts.ts';
import { plainId } from './event.ts';
import type { Ledger } from './ledger.ts';
import type { StoredEvent } from './stored.ts';

const looksLikeOne = /"(?:blob|reference)":"([0-9a-f]{64})"/g;

/**
 * Looking at the text is quicker than parsing every event. Of a type that only a newer icecore knows, whatever looks like
 * a blob may be one.
 */
export function namedBy(event: StoredEvent): readonly string[] {
  const { body } = event;
  if (!body.includes('"blob":"') && !body.includes('"reference":"')) return [];
  if (!isKnown(event)) return Array.from(body.matchAll(looksLikeOne), ([, blob = '']) => ownText(blob));
  return blobsOf(event).map(({ blob }) => blob);
}

/** Throws where the event cannot be read. */
export function blobsOf({ envelope: { type, version, data } }: StoredEvent): readonly NamedBlob[] {
  return blobsIn(type, version, data);
}

type Names = ReadonlySet<string>;

function namesIn({ type, version, data }: Pick<NewEvent, 'type' | 'version' | 'data'>): Names {
  return new Set(blobsIn(type, version, data).map(({ blob }) => blob));
}

const mostStreams = 16;

/**
 * What events that are stored already name. A store without an index of ids is asked for the whole stream, once: nobody else
 * writes to evidence that is written here.
 */
export class StoredNames {
  readonly #streams = new Map<string, Map<string, Names>>();

  /** Null where the event is not stored. */
  async of(ledger: Ledger, stream: string, id: string): Promise<Names | null> {
    if (ledger.capabilities.findById || isChained(stream)) {
      const [stored] = await ledger.find(id, 1);
      return stored === undefined ? null : namesIn(stored.envelope);
    }
    return (await this.#inStream(ledger, stream)).get(plainId(id)) ?? null;
  }

  /** The event is about to be stored; where its id is known already, that one stays. */
  add(stream: string, event: NewEvent): void {
    const known = this.#streams.get(stream);
    if (known !== undefined && !known.has(plainId(event.id))) known.set(plainId(event.id), namesIn(event));
  }

  async #inStream(ledger: Ledger, stream: string): Promise<Map<string, Names>> {
    let known = this.#streams.get(stream);
    if (known !== undefined) return known;
    known = new Map();
    for await (const events of ledger.read(stream))
      for (const event of events) known.set(ownText(event.filedId), namesIn(event.envelope));
    if (this.#streams.size >= mostStreams) this.#streams.clear();
    this.#streams.set(stream, known);
    return known;
  }
}

/** Whether it can be said what of its data names a blob. Not of what is damaged, either. */
export function isKnown(event: StoredEvent): boolean {
  try {
    return eventTypes.get(event.type)?.versions[event.envelope.version - 1] !== undefined;
  } catch {
    return false;
  }
}

/** Whether the event names the blob as a text, and as nothing else. */
export function namesAsText(event: StoredEvent, blob: string): boolean {
  return isKnown(event) && blobsOf(event).every((named) => named.blob !== blob || named.isText);
}

/** Whether its bytes are still those that were recorded. */
export function isIntact({ hashed, digest }: StoredEvent): boolean {
  return hashed === digest;
}

/** A copy of a part of a text (ASCII only): for a part that is remembered, the engine would remember the whole text. */
export function ownText(part: string): string {
  return Buffer.from(part, 'latin1').toString('latin1');
}
