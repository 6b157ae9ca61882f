// A run's stream in hand for as long as it takes to write to it: nobody conducts the run meanwhile, and nobody who does is
// disturbed.
import { streamOf } from '../../../schemas/streams.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { Claim, RunHeld } from '../run/claim.ts';
import { isHeld, lastClaim } from '../run/claims.ts';
import type { RunHistory } from '../run/history.ts';
import { Journal } from '../run/journal.ts';
import type { Decision } from '../run/writing.ts';

export interface Hand {
  readonly ledger: Ledger;
  readonly blobs: () => Promise<Blobs>;
  readonly run: string;
  readonly actor: string;
  readonly signal: AbortSignal;
  /** Told when somebody else's lease has to be waited for. */
  readonly onWait: (holder: string, seconds: number) => void;
}

/** Told before anything is paid for. Throws RunHeld. */
export async function requireNotHeld(ledger: Ledger, run: string): Promise<void> {
  const last = await lastClaim(ledger, run);
  if (last !== null && isHeld(last) === true) throw new RunHeld(run, last);
}

/** One is written after the other, each as it follows from the history as it is then. Throws RunHeld. */
export async function written(
  { ledger, blobs, run, actor, signal, onWait }: Hand,
  decisions: readonly ((history: RunHistory) => Decision | null)[],
): Promise<RunHistory> {
  const claim = await Claim.take({ ledger, run, stream: streamOf.run(run), actor, leaseSeconds: 60, signal, onWait });
  try {
    const journal = await Journal.open(run, { ledger, blobs, check: () => claim.check() });
    for (const decide of decisions) await append(journal, decide);
    return journal.history;
  } finally {
    await claim.release();
  }
}

async function append(journal: Journal, decide: (history: RunHistory) => Decision | null): Promise<void> {
  for (;;) {
    const decision = decide(journal.history);
    if (decision === null || (await journal.append(decision))) return;
  }
}
