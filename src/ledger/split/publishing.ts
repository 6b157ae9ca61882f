// Consumers that know nothing of icecore learn from the evidence store which attempts count: it publishes each seal. A seal counts
// whether it is published or not, so that a failure here fails nothing; the next opening publishes what is missing.
import type { Cursor } from '../cursor.ts';
import { BadCursor } from '../errors.ts';
import type { Ledger } from '../ledger.ts';
import type { StoredEvent } from '../stored.ts';

/** What an evidence ledger may offer. */
export interface SealPublisher {
  /** In the order they were recorded; a seal that comes again is no fault. Their cursors are those of the run events' store. */
  publishSealed(seals: readonly StoredEvent[]): Promise<void>;
  /** The cursor of the last seal that was published; null: none was. */
  publishedUpTo(): Promise<Cursor | null>;
}

function isPublisher(ledger: Ledger): ledger is Ledger & SealPublisher {
  return 'publishSealed' in ledger && 'publishedUpTo' in ledger;
}

/** Publishes all seals that are not yet. */
export async function publish(decisions: Ledger, evidence: Ledger | null): Promise<void> {
  if (evidence === null || !isPublisher(evidence)) return;
  try {
    const published = await evidence.publishedUpTo();
    await publishAfter(published, decisions, evidence).catch((error: unknown) => {
      // The run events were put back from an older copy since.
      if (!(error instanceof BadCursor)) throw error;
      return publishAfter(null, decisions, evidence);
    });
  } catch {
    // A seal counts all the same; the next opening publishes it.
  }
}

async function publishAfter(cursor: Cursor | null, decisions: Ledger, evidence: SealPublisher): Promise<void> {
  const since = cursor === null ? {} : { after: cursor };
  for await (const seals of decisions.readAll({ types: ['EvidenceSealed'], ...since }))
    await evidence.publishSealed(seals);
}
