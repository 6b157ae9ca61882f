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

/** Numbers of holes, one a level, of lakes of a size. */
export function holeLevelsOf(size: number): number[] {
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

/** Why there is none of a kind, where that can be told without looking for one; null where there may be some. */
export function whyNone({ size, agents, holes, needsWait }: Kind): string | null {
  // Every agent needs a cell of its own, and one that is alone a second one for its goal.
  if (size * size - holes < Math.max(agents, 2)) return 'there is no room for the agents';
  return agents === 1 && needsWait ? 'an agent that is alone never has to wait' : null;
}
