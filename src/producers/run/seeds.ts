// Where chance comes from at each place of a run: a number of its own for every purpose and stage, from the seed of the
// run. Written as digits, so that events hold it as it was used.
import { sha256 } from '../../ledger/identity/ids.ts';

/** Pools that are the same for every run: what was measured in one may be compared with what was measured in another. */
export const poolSeed = 'icecore-pool-1';

export function seedOf(runSeed: number | string, purpose: string, stage: number): string {
  const digits = sha256(JSON.stringify(['icecore', String(runSeed), purpose, stage])).slice(0, 15);
  return String(BigInt(`0x${digits}`));
}
