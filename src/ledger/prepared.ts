// An event that was checked and is written but for its place, which only the end of its stream can tell. Threads that store
// events load this and no schemas: to load these takes a thread longer than to store 10,000 rollouts.

export interface PreparedEvent {
  readonly id: string;
  readonly type: string;
  /** The canonical JSON up to the value of `previous`, and from `run` on: `revision` comes between them. */
  readonly head: string;
  readonly closing: string;
}

/** The canonical JSON of an event at its place in the stream: what is hashed and stored. */
export function bodyAt(event: PreparedEvent, revision: number, previous: string | null): string {
  const before = previous === null ? 'null' : `"${previous}"`;
  return `${event.head}${before},"revision":${revision}${event.closing}`;
}
