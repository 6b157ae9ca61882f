// Snapshots that were named to decide and were never there when it was decided: they would all be the latest one.
import { IcecoreError } from '../../../schemas/errors.ts';
import { snapshotStage } from '../../analysis/ablation/snapshots.ts';
import type { Depth, EngineerWord, Replayed } from '../../producers/ablation/design.ts';

export class SnapshotTooLate extends IcecoreError {
  override readonly name = 'SnapshotTooLate';

  constructor(engineer: string, last: number) {
    super('usage', `--engineer: found ${engineer}, allowed: snapshots up to that after stage ${last}`, {
      facts: { field: '--engineer', found: engineer, last },
      remedy: `Nothing is decided after a later stage here. The latest snapshot at each decision is called checkpoint.`,
    });
  }
}

/** Throws SnapshotTooLate. */
export function requireSnapshots(
  engineers: readonly EngineerWord[] | null,
  histories: readonly Pick<Replayed, 'stages' | 'settings'>[],
  depth: Depth,
): void {
  const last = Math.max(
    ...histories.flatMap(({ stages, settings }) => (depth === 'run' ? [...stages, settings.stages - 1] : stages)),
  );
  const late = (engineers ?? []).find((word) => typeof word === 'string' && (snapshotStage(word) ?? 0) > last);
  if (typeof late === 'string') throw new SnapshotTooLate(late, last);
}
