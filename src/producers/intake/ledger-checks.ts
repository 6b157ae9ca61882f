// Checks events that name blobs: each blob must be stored before the event. Exceptions are events that the ledger
// already has, and texts that the same run redacted.

import { IcecoreError } from '../../../schemas/errors.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { blobsIn, type NamedBlob, namesBlobs } from '../../../schemas/texts.ts';
import { mapConcurrently } from '../../base/concurrently.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import { BlobDamaged, BlobMissing } from '../../ledger/blobs/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { StoredNames } from '../../ledger/named-blobs.ts';
import { KnownRedactions, Redactions } from '../../ledger/redactions.ts';
import { type BadPiece, badPiece } from './faults.ts';
import { mentions } from './texts.ts';
import type { Refused, Taken } from './windows.ts';

/** What is already stored. */
export interface StoredContent {
  readonly blobsUrl: string;
  /** Null if there is none yet. */
  ledger(): Promise<Ledger | null>;
  /** For reading; null if there is no store yet. */
  blobs(): Promise<Blobs | null>;
}

interface Sorted {
  readonly taken: readonly Taken[];
  readonly refused: readonly Refused[];
}

const atOnce = 16;
const remembered = 100_000;

/** Blobs up to this size are read to check their size. */
const mostRead = 1024 * 1024;

/** The state of a blob in a store. */
type Found = 'there' | 'missing' | 'damaged' | { readonly bytes: number };

export class NamedBlobs {
  readonly #known: StoredContent;
  readonly #sound = new Set<string>();
  readonly #stored = new StoredNames();

  constructor(known: StoredContent) {
    this.#known = known;
  }

  /** Splits events into those that may be appended and those that name missing blobs. */
  async sort(all: readonly Taken[]): Promise<Sorted> {
    const named = new Map(all.flatMap((one) => this.#namedBy(one)));
    if (named.size === 0) return { taken: all, refused: [] };
    const faults = await this.#faults(new Map([...named.values()].flat().map((one) => [keyOf(one), one])));
    const redacted = await this.#redactions(faults.size > 0);
    const refused: Refused[] = [];
    for (const [one, blobs] of named) {
      const fault = blobs
        .filter(({ blob, isText }) => !isText || redacted.find(one.stream, blob) === null)
        .map((blob) => faults.get(keyOf(blob))?.(blob.field))
        .find((found) => found !== undefined);
      if (fault !== undefined && !(await this.#isStored(one))) refused.push({ piece: one.piece, fault });
    }
    const bad = new Set(refused.map(({ piece }) => piece));
    return { taken: all.filter(({ piece }) => !bad.has(piece)), refused };
  }

  /** The blobs an event names, except its own texts and known blobs. */
  #namedBy(one: Taken): [Taken, readonly NamedBlob[]][] {
    const { bytes } = one.piece;
    if (!mentions(bytes, 'blob') && !mentions(bytes, 'reference')) return [];
    const { type, version, data } = one.event;
    if (!namesBlobs(type, version, data)) return [];
    const own = new Set(one.texts.map(({ digest }) => digest));
    const named = blobsIn(type, version, data).filter((blob) => !own.has(blob.blob) && !this.#sound.has(keyOf(blob)));
    return named.length === 0 ? [] : [[one, named]];
  }

  async #faults(wanted: ReadonlyMap<string, NamedBlob>): Promise<ReadonlyMap<string, (field: string) => BadPiece>> {
    const blobs = await this.#known.blobs();
    const found = await mapConcurrently([...wanted.values()], atOnce, (one) => look(blobs, one));
    const faults = new Map<string, (field: string) => BadPiece>();
    [...wanted].forEach(([key, named], i) => {
      const fault = this.#faultOf(named, found[i] ?? 'missing');
      if (fault === null) this.#remember(key);
      else faults.set(key, fault);
    });
    return faults;
  }

  async #redactions(isNeeded: boolean): Promise<KnownRedactions> {
    const ledger = isNeeded ? await this.#known.ledger() : null;
    return ledger === null ? new KnownRedactions() : await new Redactions(ledger).look();
  }

  #faultOf({ blob, bytes }: NamedBlob, found: Found): ((field: string) => BadPiece) | null {
    const { blobsUrl } = this.#known;
    if (found === 'there') return null;
    if (found === 'missing')
      return (field) => badPiece(field, `${blob}, which is not in ${blobsUrl}`, allowed, { remedy: putFirst });
    if (found === 'damaged')
      return (field) => badPiece(field, `${blob}, which is damaged in ${blobsUrl}`, allowed, { remedy: mend });
    if (found.bytes === bytes) return null;
    const has = found.bytes > mostRead ? `more than ${mostRead}` : `${found.bytes}`;
    return (field) => badPiece(`${field}.bytes`, String(bytes), `${has}, the size of the blob`);
  }

  async #isStored({ stream, event }: Taken): Promise<boolean> {
    const ledger = await this.#known.ledger();
    return ledger !== null && isWhole(event.id) && (await this.#stored.of(ledger, stream, event.id)) !== null;
  }

  #remember(key: string): void {
    if (this.#sound.size >= remembered) this.#sound.clear();
    this.#sound.add(key);
  }
}

const allowed = 'a stored blob';
const putFirst =
  'Store it first: icecore blob put FILE. From another ledger, icecore ledger copy brings events with their blobs.';
const mend = 'Store the same bytes again to repair it: icecore blob put FILE.';

function keyOf({ blob, bytes }: NamedBlob): string {
  return `${blob} ${bytes}`;
}

/** An incomplete id may match another event. */
function isWhole(id: unknown): boolean {
  return typeof id === 'string' && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);
}

async function look(blobs: Blobs | null, { blob, bytes }: NamedBlob): Promise<Found> {
  if (blobs === null) return 'missing';
  if (bytes === null || bytes > mostRead) return (await blobs.has(blob)) ? 'there' : 'missing';
  try {
    let found = 0;
    for await (const piece of blobs.read(blob)) {
      found += piece.byteLength;
      if (found > mostRead) break;
    }
    return { bytes: found };
  } catch (error) {
    if (error instanceof BlobMissing) return 'missing';
    if (error instanceof BlobDamaged) return 'damaged';
    throw error;
  }
}

// A stage of a run is sealed once. A second seal would have no effect and be reported by every verification, so it is
// refused; repeating the same seal succeeds, as with any event.

export class SecondSeals {
  readonly #known: Pick<StoredContent, 'ledger'>;
  /** The ids of seals by stream and stage, loaded on demand and extended by new ones. */
  readonly #seals = new Map<string, Map<number | null, string>>();

  constructor(known: Pick<StoredContent, 'ledger'>) {
    this.#known = known;
  }

  /**
   * Splits events into those that may be appended and seals of stages that are already sealed, in the ledger or among
   * these.
   */
  async sort(all: readonly Taken[]): Promise<Sorted> {
    const refused: Refused[] = [];
    for (const { piece, stream, event } of all) {
      const { type, run, stage, id } = event;
      if (type !== 'EvidenceSealed' || run === null || stream !== streamOf.run(run)) continue;
      const seals = await this.#sealsIn(stream);
      const before = seals.get(stage) ?? id;
      seals.set(stage, before);
      if (before !== id) refused.push({ piece, fault: new SecondSeal(run, stage, before) });
    }
    if (refused.length === 0) return { taken: all, refused };
    const bad = new Set(refused.map(({ piece }) => piece));
    return { taken: all.filter(({ piece }) => !bad.has(piece)), refused };
  }

  async #sealsIn(stream: string): Promise<Map<number | null, string>> {
    const known = this.#seals.get(stream);
    if (known !== undefined) return known;
    const found = new Map<number | null, string>();
    const ledger = await this.#known.ledger();
    for await (const events of ledger?.readAll({ streams: [stream], types: ['EvidenceSealed'] }) ?? []) {
      for (const { envelope, id } of events) if (!found.has(envelope.stage)) found.set(envelope.stage, id);
    }
    this.#seals.set(stream, found);
    return found;
  }
}

class SecondSeal extends IcecoreError {
  override readonly name = 'SecondSeal';

  constructor(run: string, stage: number | null, by: string) {
    super('conflict', `stage ${stage} of run ${run} is sealed already, by event ${by}`, {
      facts: { run, stage, by },
      remedy: 'The first seal of a stage counts. Leave this event out.',
    });
  }
}
