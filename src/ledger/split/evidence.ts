// What a store of evidence may offer beyond the port, where it has no index of streams: reading attempts together by their places,
// reading everything once, and telling consumers that know nothing of icecore which attempts count.

import { BadCursor } from '../errors.ts';
import { type Cursor, placeOf } from '../event.ts';
import type { EvidencePlace, Ledger, StoreFault } from '../ledger.ts';
import type { StoredEvent } from '../stored.ts';
import { Gathering } from '../verify/vouchers.ts';
import type { Store } from './parts.ts';
import type { Reports } from './reports.ts';

/** Revisions of an attempt, both ends included. */
export interface AttemptRange {
  readonly stream: string;
  readonly from: number;
  readonly to: number;
  /** How many events the attempt has, and where they are: a hint. Without one, or with a wrong one, the stream is looked for. */
  readonly count: number;
  readonly place?: EvidencePlace | undefined;
}

export interface AttemptPage {
  readonly events: readonly StoredEvent[];
  /** No more of this attempt follow. */
  readonly isLast: boolean;
}

export interface EvidencePage {
  readonly events: readonly StoredEvent[];
  /** Records that are no events. */
  readonly foreign: readonly StoreFault[];
}

/** An attempt that counts, and the seal that says so. */
export interface CountingAttempt {
  readonly stream: string;
  /** How many events count: those with revisions from 0 to `count - 1`. */
  readonly count: number;
  /** The Merkle root over their digests (RFC 6962), in hexadecimal. */
  readonly root: string;
  /** Where its events are, neighbours between them; absent where nobody knows it. */
  readonly place?: EvidencePlace;
  readonly seal: { readonly stream: string; readonly revision: number; readonly id: string };
}

export interface AttemptStore {
  /** The events of each, attempt after attempt; all of them may be in memory at once. Throws EvidenceMissing. */
  readAttempts(attempts: readonly AttemptRange[]): AsyncIterable<AttemptPage>;
  /** Each stream's events in order, in whatever order of streams. */
  everything(): AsyncIterable<EvidencePage>;
  /** An attempt that comes again is no fault. `checkpoint`: the cursor of the last seal, in the store of the run events. */
  publishSealed(attempts: readonly CountingAttempt[], checkpoint: Cursor): Promise<void>;
  /** The last checkpoint; null: nothing was published. */
  publishedUpTo(): Promise<Cursor | null>;
}

function isAttemptStore(ledger: Ledger): ledger is Ledger & AttemptStore {
  return 'readAttempts' in ledger && 'publishSealed' in ledger;
}

/** The events of each range, one after the other. */
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

/** All evidence there is, in one read. */
export function readEverything(evidence: Store): AsyncGenerator<EvidencePage> {
  return evidence.pages((ledger) => (isAttemptStore(ledger) ? ledger.everything() : readAll(ledger)));
}

async function* readAll(ledger: Ledger): AsyncGenerator<EvidencePage> {
  for await (const events of ledger.readAll()) yield { events, foreign: [] };
}

/** Publishes all seals that are not yet. A seal counts whether it is published or not: the next opening does what fails here. */
export async function publishSeals(decisions: Ledger, evidence: Ledger | null, reports: Reports): Promise<void> {
  if (evidence === null || !isAttemptStore(evidence)) return;
  try {
    await reports.refresh();
    const published = await evidence.publishedUpTo();
    await publishAfter(published, decisions, evidence, reports).catch((error: unknown) => {
      // The run events were put back from an older copy since.
      if (!(error instanceof BadCursor)) throw error;
      return publishAfter(null, decisions, evidence, reports);
    });
  } catch {
    // Nobody who appends has to know.
  }
}

async function publishAfter(
  cursor: Cursor | null,
  decisions: Ledger,
  evidence: AttemptStore,
  reports: Reports,
): Promise<void> {
  const types = ['EvidenceSealed'];
  const since = cursor === null ? {} : { after: cursor };
  for await (const seals of decisions.readAll({ types, ...since })) {
    const fresh = new Map(seals.map((seal) => [placeOf(seal), seal]));
    const attempts: CountingAttempt[] = [];
    for (const stream of new Set(seals.map((seal) => seal.stream))) {
      // Which attempts count, earlier seals of the same stream say as well.
      const gathering = new Gathering();
      for await (const all of decisions.readAll({ types, streams: [stream] }))
        for (const seal of all) gathering.take(seal);
      for (const [attempt, { count, root, by }] of gathering.seals) {
        const seal = fresh.get(by);
        if (seal === undefined) continue;
        const place = reports.attempt(attempt)?.place ?? undefined;
        const { revision, id } = seal;
        attempts.push({ stream: attempt, count, root, seal: { stream, revision, id }, ...(place && { place }) });
      }
    }
    await evidence.publishSealed(attempts, (seals.at(-1) as StoredEvent).cursor);
  }
}
