// A kind of instance: what a cell of the knob space holds. Everything that is generated is of a kind that was asked for.
import { nearest } from './apportion.ts';

export interface Kind {
  readonly size: number;
  readonly agents: number;
  /** A number of cells. */
  readonly holes: number;
  readonly needsWait: boolean;
}

/** Shares of cells that are holes, for pools in which every level stands beside the others. */
const holeLevels = [0, 0.1, 0.2, 0.3] as const;

/** Numbers of holes, one a level, of lakes as large as this kind. */
export function holeLevelsOf({ size }: Kind): number[] {
  return holeLevels.map((level) => nearest(level * size * size));
}

/** So many instances of a kind. */
export interface Order {
  readonly kind: Kind;
  readonly count: number;
}

export function kindName({ size, agents, holes, needsWait }: Kind): string {
  return `${size}x${size}, ${agents} agents, ${holes} holes, ${needsWait ? 'with a wait' : 'without a wait'}`;
}

/** Whether there is room: every agent on a cell of its own, and away from its goal. */
export function hasRoom({ size, agents, holes }: Kind): boolean {
  return size * size - holes >= Math.max(agents, 2);
}
