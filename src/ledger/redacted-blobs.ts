// The blobs of redacted texts that are still there, and who else names them. What another run names is not to be erased
// because one run redacted it.
import { blobsIn } from '../../schemas/texts.ts';
import { mapConcurrently } from '../base/concurrently.ts';
import type { Blobs } from './blobs/blobs.ts';
import { isKnown, namedBy } from './copy/named-blobs.ts';
import { placeOf } from './event.ts';
import type { Ledger } from './ledger.ts';
import { type KnownRedactions, type Redaction, scopeOf } from './redactions.ts';
import type { StoredEvent } from './stored.ts';

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

/** Reads the whole ledger. By blob; each stream kind of a run is told apart, since decisions are. */
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
  const wanted = namedInAny(event).filter((blob) => blobs.has(blob));
  if (wanted.length === 0) return [];
  const { stream } = event;
  const of = { scope: scopeOf(stream), stream, place: placeOf(event) };
  if (!isReadable(event)) {
    return wanted.map((blob) => [blob, { ...of, event: event.filedId, field: 'data', isText: false }]);
  }
  const { id, type, version, data } = event.envelope;
  return blobsIn(type, version, data)
    .filter(({ blob }) => blobs.has(blob))
    .map(({ blob, field, isText }) => [blob, { ...of, event: id, field, isText }]);
}

/** What cannot be read may name whatever stands in it. */
function namedInAny(event: StoredEvent): readonly string[] {
  try {
    return namedBy(event);
  } catch {
    return Array.from(event.body.matchAll(/[0-9a-f]{64}/g), ([blob]) => blob);
  }
}

function isReadable(event: StoredEvent): boolean {
  try {
    const { type, version, data } = event.envelope;
    blobsIn(type, version, data);
    return isKnown(event);
  } catch {
    return false;
  }
}

/** A redacted text whose blob is there. */
export interface RedactedBlob {
  readonly redaction: Redaction;
  /** An event that still needs the blob: of another run, or one that names it as something else than a text. */
  readonly neededBy: Namer | null;
}

const atOnce = 64;

/** Of these redactions, those whose blob is there. Reads the whole ledger where there is one. */
export async function redactedBlobs(
  ledger: Ledger,
  blobs: Pick<Blobs, 'has'>,
  known: KnownRedactions,
  redactions: readonly Redaction[],
): Promise<readonly RedactedBlob[]> {
  const there = await mapConcurrently(redactions, atOnce, ({ blob }) => blobs.has(blob));
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
