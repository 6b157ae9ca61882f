// A kind of instance: what a cell of the knob space holds. Everything that is generated is of a kind that was asked for.

export interface Kind {
  readonly size: number;
  readonly agents: number;
  /** A number of cells. */
  readonly holes: number;
  readonly needsWait: boolean;
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
