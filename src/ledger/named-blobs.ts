// The blobs that an event names.
import { eventTypes } from '../../schemas/catalogue.ts';
import type { NewEvent } from '../../schemas/envelope.ts';
import { isChained } from '../../schemas/streams.ts';
import { blobsIn, type NamedBlob } from '../../schemas/texts.ts';
import { RecentMap } from '../base/recent-map.ts';
import { plainId } from './event.ts';
import type { Ledger } from './ledger.ts';
import type { StoredEvent } from './stored.ts';

const looksLikeOne = /"(?:blob|reference)":"([0-9a-f]{64})"/g;

/**
 * Searching the text is faster than parsing every event. In an event that cannot be read or is of a newer icecore, anything that
 * looks like a blob may be one, and none is certainly a text.
 */
export function namedBy(event: StoredEvent): readonly NamedBlob[] {
  const { body } = event;
  if (!body.includes('"blob":"') && !body.includes('"reference":"')) return [];
  if (isKnown(event)) return blobsIn(event.envelope.type, event.envelope.version, event.envelope.data);
  return Array.from(body.matchAll(looksLikeOne), ([, blob = '']) => {
    return { field: 'data', isText: false, blob: ownText(blob), bytes: null, preview: null };
  });
}

type Names = ReadonlySet<string>;

function namesIn({ type, version, data }: Pick<NewEvent, 'type' | 'version' | 'data'>): Names {
  return new Set(blobsIn(type, version, data).map(({ blob }) => blob));
}

const mostStreams = 16;

/**
 * The blobs that stored events already name. A store without an index of ids is read once per stream, since no other writer
 * appends to evidence that is being written here.
 */
export class StoredNames {
  readonly #streams = new RecentMap<string, Map<string, Names>>(mostStreams);

  /** Null: the event is not stored. */
  async of(ledger: Ledger, stream: string, id: string): Promise<Names | null> {
    if (ledger.capabilities.findById || isChained(stream)) {
      const [stored] = await ledger.find(id, 1);
      return stored === undefined ? null : namesIn(stored.envelope);
    }
    return (await this.#inStream(ledger, stream)).get(plainId(id)) ?? null;
  }

  /** The event is about to be stored, unless its id is already known. */
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
    this.#streams.set(stream, known);
    return known;
  }
}

/** Whether the blobs in its data can be determined. */
export function isKnown(event: StoredEvent): boolean {
  try {
    const { type, version } = event.envelope;
    return eventTypes.get(type)?.versions[version - 1] !== undefined;
  } catch {
    return false;
  }
}

/** Whether its bytes still match its digest. */
export function isIntact({ hashed, digest }: StoredEvent): boolean {
  return hashed === digest;
}

/** A copy of a part of a text (ASCII only): V8 would otherwise keep the whole text in memory for a part. */
export function ownText(part: string): string {
  return Buffer.from(part, 'latin1').toString('latin1');
}
