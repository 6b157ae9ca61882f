// Places in the log of all events, as they go over the wire: commit first, then prepare.

export interface Position {
  readonly commit: number;
  readonly prepare: number;
}

/** Before everything. */
export const logStart: Position = { commit: -1, prepare: -1 };

/** Where an event is: what is written in one go is committed where it stands. */
export function at(offset: number): Position {
  return { commit: offset, prepare: offset };
}

export function compare(a: Position, b: Position): number {
  return a.commit - b.commit || a.prepare - b.prepare;
}

export function laterOf(a: Position, b: Position): Position {
  return compare(a, b) < 0 ? b : a;
}
