// The redacted texts of runs, and their blobs that still exist. Anyone can write that a text was erased, but only redactions
// with authority count; this module decides which ones do, for every command.
import { parseStream, streamOf } from '../../schemas/streams.ts';
import { mapConcurrently } from '../base/concurrently.ts';
import { getOrCreate } from '../base/get-or-create.ts';
import type { Blobs } from './blobs/blobs.ts';
import { type Cursor, placeOf, plainId } from './event.ts';
import type { Ledger } from './ledger.ts';
import { blobsOf, isIntact, isKnown, namedBy } from './named-blobs.ts';
import type { StoredEvent } from './stored.ts';

/** A text of an event, as named by a Redacted event. */
interface RedactionClaim {
  readonly event: string;
  readonly stream: string;
  readonly field: string;
  readonly blob: string;
}

interface JudgedClaim extends RedactionClaim {
  /** Why it has no authority; null: it has. */
  readonly fault: string | null;
}

/** The scope of a redaction: the run of its stream, or one recorded answer, but never other runs with the same text. */
export function scopeOf(stream: string): string {
  const name = parseStream(stream);
  return name !== null && 'run' in name ? `run ${name.run}` : stream;
}

/** The stream for the redaction of a text of this stream, chosen so that it disturbs no writer; null: the stream has no texts. */
export function redactionStreamOf(stream: string): string | null {
  const name = parseStream(stream);
  if (name?.category === 'evidence' || name?.category === 'run') return streamOf.notes(name.run);
  return name?.category === 'answer' ? stream : null;
}

/**
 * The claims of a Redacted event. A claim has authority if its event is of the same run, or is the recorded answer whose stream
 * it is in, and if that event exists, is undamaged, and names this very text in this field.
 */
export async function judgeRedaction(ledger: Ledger, redacted: StoredEvent): Promise<readonly JudgedClaim[]> {
  const claims = claimsOf(redacted);
  if (claims.length === 0) return [];
  if (!isIntact(redacted)) return claims.map((claim) => ({ ...claim, fault: 'it was altered' }));
  const isElsewhere = ({ stream }: RedactionClaim): boolean => redactionStreamOf(stream) !== redacted.stream;
  const named = await findNamed(
    ledger,
    claims.filter((claim) => !isElsewhere(claim)),
  );
  return claims.map((claim) => ({
    ...claim,
    fault: isElsewhere(claim)
      ? `it is in ${redacted.stream}, which has no authority over ${claim.stream}`
      : faultOf(claim, named.get(`${plainId(claim.event)} ${claim.stream}`) ?? null),
  }));
}

/** Empty if the event cannot be read; a verification reports why. */
function claimsOf(event: StoredEvent): readonly RedactionClaim[] {
  try {
    const { reading } = event;
    return reading.known && reading.type === 'Redacted' ? reading.data.erased : [];
  } catch {
    return [];
  }
}

function faultOf({ event, stream, field, blob }: RedactionClaim, named: StoredEvent | null): string | null {
  if (named === null) return `there is no event ${event} in ${stream}`;
  const place = placeOf(named);
  if (!isIntact(named)) return `${place} was altered`;
  const isNamed = readable(named)?.some((text) => text.isText && text.field === field && text.blob === blob) === true;
  return isNamed ? null : `${place} names no such text in ${field}`;
}

/** The blobs that an event names; null: it cannot be read. */
function readable(event: StoredEvent): ReturnType<typeof blobsOf> | null {
  try {
    return blobsOf(event);
  } catch {
    return null;
  }
}

/** With more claims on one stream, reading the stream once costs less than searching for each event. */
const mostLookedFor = 8;

/** By id and stream. */
async function findNamed(ledger: Ledger, claims: readonly RedactionClaim[]): Promise<ReadonlyMap<string, StoredEvent>> {
  const found = new Map<string, StoredEvent>();
  for (const [stream, ofStream] of Map.groupBy(claims, (claim) => claim.stream)) {
    const ids = new Set(ofStream.map(({ event }) => event));
    const wanted = new Set(Array.from(ids, plainId));
    const take = (events: readonly StoredEvent[]): void => {
      for (const event of events) {
        const id = plainId(event.filedId);
        if (event.stream === stream && wanted.has(id)) found.set(`${id} ${stream}`, event);
      }
    };
    if (ledger.capabilities.findById && ids.size <= mostLookedFor) for (const id of ids) take(await ledger.find(id));
    else for await (const events of ledger.read(stream)) take(events);
  }
  return found;
}

/** A redaction with authority. */
export interface Redaction extends RedactionClaim {
  readonly scope: string;
  /** The Redacted event; the last one, if there are several. */
  readonly by: string;
}

export class KnownRedactions {
  readonly #byBlob = new Map<string, Map<string, Redaction>>();

  add(claim: RedactionClaim, by: string): void {
    const scope = scopeOf(claim.stream);
    getOrCreate(this.#byBlob, claim.blob, () => new Map<string, Redaction>()).set(scope, { ...claim, scope, by });
  }

  /** The redaction of a text that an event of this stream names. */
  find(stream: string, blob: string): Redaction | null {
    return this.#byBlob.get(blob)?.get(scopeOf(stream)) ?? null;
  }

  covers(scope: string, blob: string): boolean {
    return this.#byBlob.get(blob)?.has(scope) === true;
  }

  /** The redactions of a text in all streams. */
  of(blob: string): readonly Redaction[] {
    return [...(this.#byBlob.get(blob)?.values() ?? [])];
  }

  get isEmpty(): boolean {
    return this.#byBlob.size === 0;
  }

  *all(): Generator<Redaction> {
    for (const ofBlob of this.#byBlob.values()) yield* ofBlob.values();
  }
}

export class Redactions {
  readonly #ledger: Ledger;
  readonly #known = new KnownRedactions();
  #looked: Cursor | undefined;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** Later calls read only what was recorded since. */
  async look(): Promise<KnownRedactions> {
    const { cursor } = await this.#ledger.head();
    if (cursor === this.#looked) return this.#known;
    for await (const events of this.#ledger.readAll({ types: ['Redacted'], after: this.#looked, until: cursor })) {
      for (const event of events) {
        for (const claim of await judgeRedaction(this.#ledger, event)) {
          if (claim.fault === null) this.#known.add(claim, placeOf(event));
        }
      }
    }
    this.#looked = cursor;
    return this.#known;
  }
}

/** An event that names a blob; the first one of its run. */
export interface Namer {
  readonly scope: string;
  readonly event: string;
  readonly stream: string;
  readonly place: string;
  readonly field: string;
  /** False: a checkpoint, a task, or something that only a newer icecore can read. */
  readonly isText: boolean;
}

/** Reads the whole ledger. The events by blob: one per kind of stream of a run, since redactions are decided per run. */
export async function namersOf(
  ledger: Ledger,
  blobs: ReadonlySet<string>,
): Promise<ReadonlyMap<string, readonly Namer[]>> {
  const found = new Map<string, Map<string, Namer>>();
  if (blobs.size === 0) return new Map();
  for await (const events of ledger.readAll()) {
    for (const event of events) {
      for (const [blob, namer] of namersIn(event, blobs)) {
        const ofBlob = getOrCreate(found, blob, () => new Map<string, Namer>());
        const kind = `${namer.scope} ${event.stream.split('-', 1)[0]} ${namer.isText}`;
        if (!ofBlob.has(kind)) ofBlob.set(kind, namer);
      }
    }
  }
  return new Map(Array.from(found, ([blob, namers]) => [blob, [...namers.values()]]));
}

function namersIn(event: StoredEvent, blobs: ReadonlySet<string>): readonly (readonly [string, Namer])[] {
  const named = namedInAny(event).filter((blob) => blobs.has(blob));
  if (named.length === 0) return [];
  const { stream } = event;
  const of = { scope: scopeOf(stream), stream, place: placeOf(event) };
  const read = isKnown(event) ? readable(event) : null;
  if (read === null) return named.map((blob) => [blob, { ...of, event: event.filedId, field: 'data', isText: false }]);
  return read
    .filter(({ blob }) => blobs.has(blob))
    .map(({ blob, field, isText }) => [blob, { ...of, event: event.id, field, isText }]);
}

/** An unreadable event may name any digest it contains. */
function namedInAny(event: StoredEvent): readonly string[] {
  try {
    return namedBy(event);
  } catch {
    return Array.from(event.body.matchAll(/[0-9a-f]{64}/g), ([blob]) => blob);
  }
}

/** A redacted text whose blob still exists. */
export interface RedactedBlob {
  readonly redaction: Redaction;
  /** An event that still needs the blob: of another run, or one that does not name it as a text. */
  readonly neededBy: Namer | null;
}

const lookedForAtOnce = 64;

/** The redactions whose blob still exists. Reads the whole ledger if there is one. */
export async function redactedBlobs(
  ledger: Ledger,
  blobs: Pick<Blobs, 'has'>,
  known: KnownRedactions,
  redactions: readonly Redaction[],
): Promise<readonly RedactedBlob[]> {
  const there = await mapConcurrently(redactions, lookedForAtOnce, ({ blob }) => blobs.has(blob));
  const left = redactions.filter((_, index) => there[index] === true);
  const namers = await namersOf(ledger, new Set(left.map(({ blob }) => blob)));
  return left.map((redaction) => ({
    redaction,
    neededBy: (namers.get(redaction.blob) ?? []).find((namer) => isNeeded(namer, redaction.blob, known)) ?? null,
  }));
}

/** Whether it names the blob without a redaction. */
export function isNeeded({ isText, scope }: Namer, blob: string, known: KnownRedactions): boolean {
  return !isText || !known.covers(scope, blob);
}
