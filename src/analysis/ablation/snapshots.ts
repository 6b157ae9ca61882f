// Engineers that are named as a snapshot of a later stage than one they decide after: they decide as the latest there was.
import { listed } from './statistics/amounts.ts';

/** The stage of `checkpoint@2`; null of whoever is no such snapshot. */
export function snapshotStage(engineer: string): number | null {
  const [, stage] = /^checkpoint@(\d+)$/.exec(engineer) ?? [];
  return stage === undefined ? null : Number(stage);
}

/** `stages`: after which is decided, in any of the histories. */
export function earlierSnapshots(engineers: readonly string[], stages: readonly number[]): string[] {
  const decided = [...new Set(stages)].sort((one, other) => one - other);
  return [...new Set(engineers)].flatMap((engineer) => {
    const before = decided.filter((stage) => stage < (snapshotStage(engineer) ?? 0));
    if (before.length === 0) return [];
    const which = `stage${before.length === 1 ? '' : 's'} ${listed(before.map(String))}`;
    return [
      `After ${which} there was no ${engineer} yet: the latest snapshot decided in its place, as checkpoint would.`,
    ];
  });
}
