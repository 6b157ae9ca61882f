// How a run stands: whether somebody has it in hand, and whether it came to its end.
import type { RunState } from '../../../schemas/run-output.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { RunHistory } from '../../producers/history/run-history.ts';
import { isHeld, type LastClaim, lastClaim } from '../../producers/run/claim.ts';

export interface Standing {
  readonly state: RunState;
  /** While it is running. */
  readonly holder: string | null;
}

export async function standingOf(ledger: Ledger, { run, completed, failed }: RunHistory): Promise<Standing> {
  if (completed !== null) return { state: 'completed', holder: null };
  const claim = await lastClaim(ledger, run);
  if (claim !== null && counts(claim)) return { state: 'running', holder: claim.holder };
  // No run of icecore's own fails for that; whoever records others may say it of one that was stopped.
  if (failed !== null) return { state: failed.data.reason === 'interrupted' ? 'stopped' : 'failed', holder: null };
  return { state: claim === null ? 'recorded' : 'stopped', holder: null };
}

/** Of a process on another machine nothing can be seen but how long ago it renewed its claim. */
function counts(claim: LastClaim): boolean {
  return isHeld(claim) ?? Date.now() < claim.recordedMs + claim.leaseSeconds * 1000;
}
