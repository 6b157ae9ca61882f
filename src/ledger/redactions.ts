// Which texts of which runs were redacted. Anybody can write that a text was erased: only what has the authority to say so
// counts, and what counts is decided here, for every command.
import { parseStream, streamOf } from '../../schemas/streams.ts';
import { blobsIn } from '../../schemas/texts.ts';
import { isIntact } from './copy/named-blobs.ts';
import { type Cursor, placeOf } from './event.ts';
import type { Ledger } from './ledger.ts';
import type { StoredEvent } from './stored.ts';

/** One text of one event, as a Redacted event names it. */
export interface RedactionClaim {
  readonly event: string;
  readonly stream: string;
  readonly field: string;
  readonly blob: string;
}

export interface JudgedClaim extends RedactionClaim {
  /** Why it has no authority; null where it has. */
  readonly fault: string | null;
}

/**
 * What a redaction speaks for: the run of its stream, or one recorded answer. Never for others that have the same text.
 */
export function scopeOf(stream: string): string {
  const name = parseStream(stream);
  return name !== null && 'run' in name ? `run ${name.run}` : stream;
}

/** Where the redaction of a text of this stream stands, so that it disturbs nobody who writes; null where it has no texts. */
export function redactionStreamOf(stream: string): string | null {
  const name = parseStream(stream);
  if (name?.category === 'evidence' || name?.category === 'run') return streamOf.notes(name.run);
  return name?.category === 'answer' ? stream : null;
}

/**
 * The claims of a Redacted event. One has authority where it names an event of the same run, or the recorded answer it
 * stands with, that is there, is what was recorded, and names that very text in that very field.
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
      : faultOf(claim, named.get(keyOf(claim)) ?? null),
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
  const isNamed = textsOf(named).some((text) => text.field === field && text.blob === blob);
  return isNamed ? null : `${place} names no such text in ${field}`;
}

function textsOf(event: StoredEvent): readonly { readonly field: string; readonly blob: string }[] {
  try {
    const { type, version, data } = event.envelope;
    return blobsIn(type, version, data).filter(({ isText }) => isText);
  } catch {
    return [];
  }
}

/** With more claims on one stream, reading it once costs less than looking for each. */
const mostLookedFor = 8;

async function findNamed(ledger: Ledger, claims: readonly RedactionClaim[]): Promise<ReadonlyMap<string, StoredEvent>> {
  const found = new Map<string, StoredEvent>();
  for (const [stream, ofStream] of Map.groupBy(claims, (claim) => claim.stream)) {
    const ids = new Set(ofStream.map(({ event }) => event));
    const isQuick = ledger.capabilities.findById && ids.size <= mostLookedFor;
    const events = isQuick ? await findEach(ledger, ids) : await readThose(ledger, stream, ids);
    for (const event of events) if (event.stream === stream) found.set(`${filed(event.filedId)} ${stream}`, event);
  }
  return found;
}

async function findEach(ledger: Ledger, ids: ReadonlySet<string>): Promise<readonly StoredEvent[]> {
  const found: StoredEvent[] = [];
  for (const id of ids) found.push(...(await ledger.find(id)));
  return found;
}

async function readThose(ledger: Ledger, stream: string, ids: ReadonlySet<string>): Promise<readonly StoredEvent[]> {
  const wanted = new Set(Array.from(ids, filed));
  const found: StoredEvent[] = [];
  for await (const events of ledger.read(stream)) {
    for (const event of events) if (wanted.has(filed(event.filedId))) found.push(event);
  }
  return found;
}

function keyOf({ event, stream }: RedactionClaim): string {
  return `${filed(event)} ${stream}`;
}

function filed(id: string): string {
  return id.replaceAll('-', '').toLowerCase();
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
    this.#byBlob.set(claim.blob, ofBlob);
    ofBlob.set(scope, { ...claim, scope, by });
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

/** Asked again, it reads only what was recorded since. */
export class Redactions {
  readonly #ledger: Ledger;
  readonly #known = new KnownRedactions();
  #looked: Cursor | undefined;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

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
