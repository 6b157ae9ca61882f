// How a run stands: whether somebody has it in hand, and whether it came to its end.

import type { RunState } from '../../../schemas/run-output.ts';
import { streamOf } from '../../../schemas/streams.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type Claimed, isHeld } from '../../producers/run/claim.ts';
import type { RunHistory } from '../../producers/run/history.ts';

export interface Standing {
  readonly state: RunState;
  /** While it is running. */
  readonly holder: string | null;
}

export async function standingOf(ledger: Ledger, { run, completed, failed }: RunHistory): Promise<Standing> {
  if (completed !== null) return { state: 'completed', holder: null };
  const claim = await lastClaim(ledger, run);
  if (claim !== null && counts(claim)) return { state: 'running', holder: claim.holder };
  if (failed !== null) return { state: failed.data.reason === 'interrupted' ? 'stopped' : 'failed', holder: null };
  return { state: claim === null ? 'recorded' : 'stopped', holder: null };
}

interface Claim extends Claimed {
  readonly recordedMs: number;
}

async function lastClaim(ledger: Ledger, run: string): Promise<Claim | null> {
  for await (const events of ledger.read(streamOf.work(run), { backwards: true })) {
    for (const { reading, recordedMs } of events) {
      if (reading.known && reading.type === 'RunClaimed') return { ...reading.data, recordedMs };
    }
  }
  return null;
}

/** Of a process on another machine nothing can be seen but how long ago it renewed its claim. */
function counts(claim: Claim): boolean {
  return isHeld(claim) ?? Date.now() < claim.recordedMs + claim.leaseSeconds * 1000;
}
