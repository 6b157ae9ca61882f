// What a snapshot expects to earn is no rate: rewards have a scale of their own, and some snapshots think too well of
// themselves. Where a context shows both what it expected and what came of it, the one is measured by the other.
import type { Descriptor } from '../../../../schemas/environment.ts';
import type { Evidence } from '../redesign/evidence.ts';
import { solvedIn } from '../redesign/reckoned.ts';

export interface Scale {
  /** By so much expectations are multiplied to be rates. */
  readonly factor: number;
  /** By family. */
  readonly cites: ReadonlyMap<string, readonly string[]>;
}

/** It is never taken to mean more than this many times, or less than one part in as many, of what it says. */
const most = 4;

export function scaleFrom({ families }: Descriptor, evidence: Evidence): Scale {
  let [expected, came] = [0, 0];
  const cites = new Map<string, readonly string[]>();
  for (const { family } of families) {
    const value = evidence.mean(family, 'value');
    const solved = solvedIn(evidence.of(family));
    if (value === null || solved === null || value.value <= 0) continue;
    expected += value.value;
    came += solved.figure.value;
    cites.set(family, [value.evidenceId]);
  }
  if (expected === 0) return { factor: 1, cites };
  return { factor: Math.min(Math.max(came / expected, 1 / most), most), cites };
}
