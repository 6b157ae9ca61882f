// Optional operations of a store of evidence without an index of streams: reading several attempts by their places, reading
// everything once, and publishing which attempts count for consumers without icecore.

import { BadCursor } from '../errors.ts';
import { type Cursor, placeOf } from '../event.ts';
import type { EvidencePlace, Ledger, StoreFault } from '../ledger.ts';
import type { StoredEvent } from '../stored.ts';
import { SealCollector } from '../verify/seals.ts';
import type { Store } from './parts.ts';
import type { Reports } from './reports.ts';

/** Revisions of an attempt, both ends inclusive. */
export interface AttemptRange {
  readonly stream: string;
  readonly from: number;
  readonly to: number;
  /** The number of events in the attempt, and their place as a hint. With a missing or wrong hint, the stream is searched for. */
  readonly count: number;
  readonly place?: EvidencePlace | undefined;
}

export interface AttemptPage {
  readonly events: readonly StoredEvent[];
  /** No more pages of this attempt follow. */
  readonly isLast: boolean;
}

export interface EvidencePage {
  readonly events: readonly StoredEvent[];
  /** Records that are not events. */
  readonly foreign: readonly StoreFault[];
}

/** An attempt that counts, with its seal. */
export interface CountingAttempt {
  readonly stream: string;
  /** The number of events that count: revisions 0 to `count - 1`. */
  readonly count: number;
  /** The Merkle root over their digests (RFC 6962), in hexadecimal. */
  readonly root: string;
  /** The place of its events, possibly with other records in between; absent: unknown. */
  readonly place?: EvidencePlace;
  readonly seal: { readonly stream: string; readonly revision: number; readonly id: string };
}

/** Which attempts count, as consumers without icecore find it. */
export interface Published {
  /** The name of the place, for people. */
  readonly where: string;
  /** The cursor of the last seal that it includes, in the store of the run events; null: nothing was published. */
  readonly upTo: Cursor | null;
  /** Texts by attempt: the JSON of a CountingAttempt, unless another program wrote it. */
  readonly attempts: ReadonlyMap<string, string>;
}

export interface AttemptStore {
  /** The events of each attempt, in sequence; all of them may be in memory at once. Throws EvidenceMissing. */
  readAttempts(attempts: readonly AttemptRange[]): AsyncIterable<AttemptPage>;
  /** Each stream's events in order; the order of streams is arbitrary. */
  everything(): AsyncIterable<EvidencePage>;
  /** Repeating an attempt is harmless. `checkpoint` is the cursor of the last seal, in the store of the run events. */
  publishSealed(attempts: readonly CountingAttempt[], checkpoint: Cursor): Promise<void>;
  readPublished(): Promise<Published>;
}

function isAttemptStore(ledger: Ledger): ledger is Ledger & AttemptStore {
  return 'readAttempts' in ledger && 'publishSealed' in ledger;
}

/** The events of each range, in sequence. */
export function readAttempts(evidence: Store, attempts: readonly AttemptRange[]): AsyncGenerator<AttemptPage> {
  return evidence.pages((ledger) =>
    isAttemptStore(ledger) ? ledger.readAttempts(attempts) : readOneByOne(ledger, attempts),
  );
}

async function* readOneByOne(ledger: Ledger, attempts: readonly AttemptRange[]): AsyncGenerator<AttemptPage> {
  for (const { stream, from, to } of attempts) {
    for await (const events of ledger.read(stream, { from, to })) yield { events, isLast: false };
    yield { events: [], isLast: true };
  }
}

/** All evidence, in one read. */
export function readEverything(evidence: Store): AsyncGenerator<EvidencePage> {
  return evidence.pages((ledger) => (isAttemptStore(ledger) ? ledger.everything() : readAll(ledger)));
}

async function* readAll(ledger: Ledger): AsyncGenerator<EvidencePage> {
  for await (const events of ledger.readAll()) yield { events, foreign: [] };
}

/** Null: the store publishes nothing. */
export function readPublished(evidence: Store): Promise<Published | null> {
  return evidence.ask(async (ledger) => (isAttemptStore(ledger) ? await ledger.readPublished() : null));
}

/** Publishes all unpublished seals. A seal counts even if it is not published; the next opening retries a failed publication. */
export async function publishSeals(decisions: Ledger, evidence: Ledger | null, reports: Reports): Promise<void> {
  if (evidence === null || !isAttemptStore(evidence)) return;
  try {
    await reports.refresh();
    const { upTo } = await evidence.readPublished();
    await publishAfter(upTo, decisions, evidence, reports).catch((error: unknown) => {
      // The run events were restored from an older copy meanwhile.
      if (!(error instanceof BadCursor)) throw error;
      return publishAfter(null, decisions, evidence, reports);
    });
  } catch {
    // A failure to publish must not fail the append.
  }
}

async function publishAfter(
  cursor: Cursor | null,
  decisions: Ledger,
  evidence: AttemptStore,
  reports: Reports,
): Promise<void> {
  const types = ['EvidenceSealed'];
  for await (const seals of decisions.readAll({ types, after: cursor ?? undefined })) {
    const fresh = new Map(seals.map((seal) => [placeOf(seal), seal]));
    // Earlier seals of the same streams also determine which attempts count.
    const gathering = new SealCollector();
    const streams = [...new Set(seals.map(({ stream }) => stream))];
    for await (const all of decisions.readAll({ types, streams })) for (const seal of all) gathering.take(seal);
    const attempts = Array.from(gathering.seals).flatMap(([stream, { count, root, by }]): CountingAttempt[] => {
      const seal = fresh.get(by);
      if (seal === undefined) return [];
      const place = reports.attempt(stream)?.place;
      const { revision, id } = seal;
      return [{ stream, count, root, seal: { stream: seal.stream, revision, id }, ...(place && { place }) }];
    });
    await evidence.publishSealed(attempts, (seals.at(-1) as StoredEvent).cursor);
  }
}
