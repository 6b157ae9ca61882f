// The redacted texts of runs, and their blobs that still exist. Anyone can write that a text was erased, but only redactions
// with authority count; this module decides which ones do, for every command.
import { parseStream, streamOf } from '../../schemas/streams.ts';
import { mapConcurrently } from '../base/concurrently.ts';
import { getOrCreate } from '../base/get-or-create.ts';
import type { Blobs } from './blobs/blobs.ts';
import { type Cursor, placeOf, plainId } from './event.ts';
import type { Ledger } from './ledger.ts';
import { isIntact, namedBy } from './named-blobs.ts';
import type { StoredEvent } from './stored.ts';

/** A redacted text with the event that names it. */
export interface RedactedText {
  readonly blob: string;
  /** The event that contained the text, with its stream and field. */
  readonly event: string;
  readonly stream: string;
  readonly field: string;
  /** The Redacted event; the last one, if there are several. */
  readonly by: string;
}

/** What a Redacted event says of a text, with authority or without. */
type RedactionClaim = Omit<RedactedText, 'by'>;

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
  const own = new Set(claims.filter(({ stream }) => redactionStreamOf(stream) === redacted.stream));
  const named = await findNamed(ledger, [...own]);
  return claims.map((claim) => ({
    ...claim,
    fault: own.has(claim)
      ? faultOf(claim, named.get(`${plainId(claim.event)} ${claim.stream}`))
      : `it is in ${redacted.stream}, which has no authority over ${claim.stream}`,
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

function faultOf({ event, stream, field, blob }: RedactionClaim, named: StoredEvent | undefined): string | null {
  if (named === undefined) return `there is no event ${event} in ${stream}`;
  const place = placeOf(named);
  if (!isIntact(named)) return `${place} was altered`;
  const isNamed = namedBy(named).some((text) => text.isText && text.field === field && text.blob === blob);
  return isNamed ? null : `${place} names no such text in ${field}`;
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

/** The redactions with authority. */
export class KnownRedactions {
  /** By blob, then by scope. */
  readonly #known = new Map<string, Map<string, RedactedText>>();

  add({ event, stream, field, blob }: RedactionClaim, by: string): void {
    const ofBlob = getOrCreate(this.#known, blob, () => new Map<string, RedactedText>());
    ofBlob.set(scopeOf(stream), { blob, event, stream, field, by });
  }

  /** The redaction of a text that an event of this stream names. */
  find(stream: string, blob: string): RedactedText | null {
    return this.#known.get(blob)?.get(scopeOf(stream)) ?? null;
  }

  covers(scope: string, blob: string): boolean {
    return this.#known.get(blob)?.has(scope) === true;
  }

  /** The redactions of a text in all streams. */
  of(blob: string): readonly RedactedText[] {
    return [...(this.#known.get(blob)?.values() ?? [])];
  }

  get isEmpty(): boolean {
    return this.#known.size === 0;
  }

  *all(): Generator<RedactedText> {
    for (const ofBlob of this.#known.values()) yield* ofBlob.values();
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
  if (blobs.size === 0) return new Map();
  const found = new Map<string, Map<string, Namer>>();
  for await (const events of ledger.readAll()) {
    for (const event of events) {
      for (const { blob, field, isText } of namedBy(event)) {
        if (!blobs.has(blob)) continue;
        const { stream } = event;
        const scope = scopeOf(stream);
        const ofBlob = getOrCreate(found, blob, () => new Map<string, Namer>());
        getOrCreate(ofBlob, `${scope} ${stream.split('-', 1)[0]} ${isText}`, () => {
          return { scope, event: isText ? event.id : event.filedId, stream, place: placeOf(event), field, isText };
        });
      }
    }
  }
  return new Map(Array.from(found, ([blob, namers]) => [blob, [...namers.values()]]));
}

/** A redacted text whose blob still exists. */
export interface RedactedBlob {
  readonly redaction: RedactedText;
  /** An event that still needs the blob: of another run, or one that does not name it as a text. */
  readonly neededBy: Namer | null;
}

const lookedForAtOnce = 64;

/** The redactions whose blob still exists. Reads the whole ledger if there is one. */
export async function redactedBlobs(
  ledger: Ledger,
  blobs: Pick<Blobs, 'has'>,
  known: KnownRedactions,
  redactions: readonly RedactedText[],
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
