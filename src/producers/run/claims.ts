// What a run's work stream says of who has the run: the claim with the highest fencing token counts, as it was renewed last,
// whatever stands after it.
import type { EventData } from '../../../schemas/catalogue.ts';
import { streamOf } from '../../../schemas/streams.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { isAlive, isOwn } from './holder.ts';

export type Claimed = EventData['RunClaimed'];

export interface LastClaim extends Claimed {
  /** Of its event in the work stream. */
  readonly revision: number;
  /** When the store wrote it. */
  readonly recordedMs: number;
}

/** A work stream as far as it was read. */
export interface Claims {
  /** The claim that counts; null where nobody ever claimed the run. */
  readonly last: LastClaim | null;
  /** The last revision of the stream; -1 where there is none. */
  readonly end: number;
}

/** Goes on from what was read before. */
export async function claimsOf(ledger: Ledger, run: string, before: Claims = { last: null, end: -1 }): Promise<Claims> {
  let { last, end } = before;
  for await (const events of ledger.read(streamOf.work(run), { from: end + 1 })) {
    for (const { reading, revision, recordedMs } of events) {
      end = revision;
      if (!reading.known || reading.type !== 'RunClaimed' || reading.data.fencingToken < (last?.fencingToken ?? 0))
        continue;
      last = { ...reading.data, revision, recordedMs };
    }
  }
  return { last, end };
}

export async function lastClaim(ledger: Ledger, run: string): Promise<LastClaim | null> {
  return (await claimsOf(ledger, run)).last;
}

/** Renewals come every third of a lease. Who has let two leases go by has died, and its number may be another's. */
const leasesOfTheLiving = 2;

/** Whether a claim still counts, as far as can be told from here: null where only time can tell. */
export function isHeld({ holder, leaseSeconds, recordedMs }: Omit<LastClaim, 'revision'>): boolean | null {
  if (leaseSeconds === 0) return false;
  const alive = isAlive(holder);
  if (alive !== true || isOwn(holder)) return alive;
  // A clock that is wrong must not keep anybody out: what seems to have happened long from now tells nothing either.
  return Math.abs(Date.now() - recordedMs) < leasesOfTheLiving * leaseSeconds * 1000 ? true : null;
}
