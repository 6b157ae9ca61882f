// The JSON output of evaluations, without what differs between machines and times.
import { expect } from 'vitest';
import type { LakeEvaluation, LakeLeaderboard, LakeRate } from '../../../schemas/lake-evaluation-output.ts';
import { json, type Ran } from '../../../src/cli/testing/harness.ts';
import { faultsAgainst } from '../../../src/cli/testing/published.ts';

export function evaluationIn(ran: Ran): LakeEvaluation {
  expect(ran).toMatchObject({ code: 0 });
  const printed = json(ran);
  expect(faultsAgainst('lake-evaluate', printed)).toEqual([]);
  return printed as unknown as LakeEvaluation;
}

export function leaderboardIn(ran: Ran): LakeLeaderboard {
  expect(ran).toMatchObject({ code: 0 });
  const printed = json(ran);
  expect(faultsAgainst('lake-leaderboard', printed)).toEqual([]);
  return printed as unknown as LakeLeaderboard;
}

/** The part that is the same on every machine, at any time. */
export function lasting({ as_of: _, measured: __, ...printed }: LakeEvaluation): object {
  return printed;
}

/** `33 of 80`, for all lakes or for one size. */
export function countIn({ results }: LakeEvaluation, measure: string, family: string | null = null): string {
  const found = results.find((one) => one.measure === measure && one.family === family);
  return `${found?.count} of ${found?.of}`;
}

export function shareIn({ count, of }: LakeRate): string {
  return `${count} of ${of}`;
}
