// What a store of evidence may offer beyond the port, where it has no index of streams: reading attempts together by their places,
// and telling consumers that know nothing of icecore which of them count.

import { BadCursor } from '../errors.ts';
import { type Cursor, placeOf } from '../event.ts';
import type { EvidencePlace, Ledger } from '../ledger.ts';
import type { StoredEvent } from '../stored.ts';
import { Gathering } from '../verify/vouchers.ts';
import type { Reports } from './reports.ts';

/** An attempt to be read: the events of a stream with revisions from 0 to `count - 1`. */
export interface AttemptToRead {
  readonly stream: string;
  readonly count: number;
  /** A hint. Without one, or with a wrong one, the stream is looked for. */
  readonly place?: EvidencePlace | undefined;
}

export interface AttemptPage {
  readonly events: readonly StoredEvent[];
  /** No more of this attempt follow. */
  readonly isLast: boolean;
}

/** An attempt that counts, and the seal that says so. */
export interface CountingAttempt extends AttemptToRead {
  readonly root: string;
  readonly seal: { readonly stream: string; readonly revision: number; readonly id: string };
}

export interface AttemptStore {
  /** Where the store may look first for so many events of a stream. */
  learnPlace(stream: string, count: number, place: EvidencePlace): void;
  /** All events of each, attempt after attempt. */
  readAttempts(attempts: readonly AttemptToRead[]): AsyncIterable<AttemptPage>;
  /** An attempt that comes again is no fault. `checkpoint`: the cursor of the last seal, in the store of the run events. */
  publishSealed(attempts: readonly CountingAttempt[], checkpoint: Cursor): Promise<void>;
  /** The last checkpoint; null: nothing was published. */
  publishedUpTo(): Promise<Cursor | null>;
}

export function isAttemptStore(ledger: Ledger): ledger is Ledger & AttemptStore {
  return 'readAttempts' in ledger && 'publishSealed' in ledger;
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
