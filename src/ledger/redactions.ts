// Which texts of which runs were redacted, and which of their blobs are still there. Anybody can write that a text was
// erased: only what has the authority to say so counts, and what counts is decided here, for every command.
import { parseStream, streamOf } from '../../schemas/streams.ts';
import { mapConcurrently } from '../base/concurrently.ts';
import type { Blobs } from './blobs/blobs.ts';
import { type Cursor, placeOf, plainId } from './event.ts';
import type { Ledger } from './ledger.ts';
import { blobsOf, isIntact, isKnown, namedBy } from './named-blobs.ts';
import type { StoredEvent } from './stored.ts';

/** One text of one event, as a Redacted event names it. */
interface RedactionClaim {
  readonly event: string;
  readonly stream: string;
  readonly field: string;
  readonly blob: string;
}

interface JudgedClaim extends RedactionClaim {
  /** Why it has no authority; null where it has. */
  readonly fault: string | null;
}

/** What a redaction speaks for: the run of its stream, or one recorded answer. Never for others that have the same text. */
export function scopeOf(stream: string): string {
  const name = parseStream(stream);
  return name !== null && 'run' in name ? `run ${name.run}` : stream;
}

/** The stream for the redaction of a text of this stream, so that it disturbs no writer; null where it has no texts. */
export function redactionStreamOf(stream: string): string | null {
  const name = parseStream(stream);
  if (name?.category === 'evidence' || name?.category === 'run') return streamOf.notes(name.run);
  return name?.category === 'answer' ? stream : null;
}

/**
 * The claims of a Redacted event. One has authority where it names an event of the same run, or the recorded answer whose
 * stream it is in, that is there, is what was recorded, and names that very text in that very field.
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
      ? `it stands in ${redacted.stream}, which cannot speak for ${claim.stream}`
      : faultOf(claim, named.get(`${plainId(claim.event)} ${claim.stream}`) ?? null),
  }));
}

/** None where the event cannot be read: a verification says what is wrong with it. */
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

/** The blobs that an event names; null where it cannot be read. */
function readable(event: StoredEvent): ReturnType<typeof blobsOf> | null {
  try {
    return blobsOf(event);
  } catch {
    return null;
  }
}

/** With more claims on one stream, reading it once costs less than looking for each. */
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

/** A redaction that has the authority to be one. */
export interface Redaction extends RedactionClaim {
  readonly scope: string;
  /** The place of the Redacted event that says so; the last, where there are several. */
  readonly by: string;
}

export class KnownRedactions {
  readonly #byBlob = new Map<string, Map<string, Redaction>>();

  add(claim: RedactionClaim, by: string): void {
    const scope = scopeOf(claim.stream);
    const ofBlob = this.#byBlob.get(claim.blob) ?? new Map<string, Redaction>();
    this.#byBlob.set(claim.blob, ofBlob.set(scope, { ...claim, scope, by }));
  }

  /** Of a text that an event of this stream names. */
  find(stream: string, blob: string): Redaction | null {
    return this.#byBlob.get(blob)?.get(scopeOf(stream)) ?? null;
  }

  covers(scope: string, blob: string): boolean {
    return this.#byBlob.get(blob)?.has(scope) === true;
  }

  /** Of a text, whoever names it. */
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

  /** Called again, it reads only what was recorded since. */
  async look(): Promise<KnownRedactions> {
    const { cursor } = await this.#ledger.head();
    if (cursor === this.#looked) return this.#known;
    const since = this.#looked === undefined ? {} : { after: this.#looked };
    for await (const events of this.#ledger.readAll({ types: ['Redacted'], ...since, until: cursor })) {
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

/** An event that names a blob; of several of one run, the first. */
export interface Namer {
  readonly scope: string;
  readonly event: string;
  readonly stream: string;
  readonly place: string;
  readonly field: string;
  /** False: a checkpoint, a task, or something that only a newer icecore can read. */
  readonly isText: boolean;
}

/** Reads the whole ledger. By blob, one of each kind of stream of a run, since redactions are decided by it. */
export async function namersOf(
  ledger: Ledger,
  blobs: ReadonlySet<string>,
): Promise<ReadonlyMap<string, readonly Namer[]>> {
  const found = new Map<string, Map<string, Namer>>();
  if (blobs.size === 0) return new Map();
  for await (const events of ledger.readAll()) {
    for (const event of events) {
      for (const [blob, namer] of namersIn(event, blobs)) {
        const ofBlob = found.get(blob) ?? new Map<string, Namer>();
        found.set(blob, ofBlob);
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

/** What cannot be read may name whatever is in it. */
function namedInAny(event: StoredEvent): readonly string[] {
  try {
    return namedBy(event);
  } catch {
    return Array.from(event.body.matchAll(/[0-9a-f]{64}/g), ([blob]) => blob);
  }
}

/** A redacted text whose blob is there. */
export interface RedactedBlob {
  readonly redaction: Redaction;
  /** An event that still needs the blob: of another run, or one that names it as something else than a text. */
  readonly neededBy: Namer | null;
}

const lookedForAtOnce = 64;

/** Of these redactions, those whose blob is there. Reads the whole ledger where there is one. */
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

/** By an event that no redaction speaks for. */
export function isNeeded({ isText, scope }: Namer, blob: string, known: KnownRedactions): boolean {
  return !isText || !known.covers(scope, blob);
}
