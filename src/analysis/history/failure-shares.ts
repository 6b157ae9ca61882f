// Whether shares of failure classes are of failures: a stage without a summary of its failures has shares of all rollouts.
import type { StageShown } from '../../../schemas/run-output.ts';

/** Shares of failures add up to one; null are unknown shares. */
export function addUpToOne(shares: readonly (number | null)[]): boolean {
  return Math.abs(shares.reduce<number>((sum, share) => sum + (share ?? 0), 0) - 1) < 1e-9;
}

/** Counts of failures add up to the total of their family. */
export function areOfFailures(failuresByFamily: StageShown['failuresByFamily']): boolean {
  const families = [...Map.groupBy(failuresByFamily, ({ family }) => family).values()];
  return families.every(
    (own) => own.reduce((left, { count: times }) => left - (times ?? 0), own[0]?.of ?? Number.NaN) === 0,
  );
}
