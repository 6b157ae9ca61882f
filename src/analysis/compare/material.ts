// What a set of comparable runs is told from: its runs, up to where each is told of, and what they are compared by.
import type { Entrant } from './entrants.ts';
import type { Point } from './points.ts';
import type { Chosen } from './suites.ts';
import type { Tally } from './tasks.ts';

export interface Material {
  readonly entrants: readonly Entrant[];
  readonly baseline: Entrant;
  readonly chosen: Chosen;
  readonly by: readonly string[];
  readonly margin: number | null;
  readonly points: Points;
  /** By label, single tasks; none where they were not looked for. */
  readonly tallies: ReadonlyMap<string, Tally>;
  /** The rate that stands for it; null where there is none. */
  readonly cameTo: (entrant: Entrant) => number | null;
}

/** Up to where each is told of. */
export type Points = ReadonlyMap<Entrant, Point>;

/** Without a stage named, the last that all of them have finished. */
export function pointsOf(entrants: readonly Entrant[]): Points {
  const stages = entrants.flatMap(({ last }) => (typeof last === 'number' ? [last] : []));
  const common = Math.min(...stages);
  return new Map(
    entrants.map((one) => [one, one.asked ?? (one.last === 'outside' || one.last === null ? 'outside' : common)]),
  );
}
