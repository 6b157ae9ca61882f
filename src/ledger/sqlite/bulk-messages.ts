// The messages between the two threads of a bulk append. Events are sent as a few long strings, since sending many short ones
// would cost more than writing them.
import { IcecoreError } from '../../../schemas/errors.ts';
import { DuplicateId } from '../errors.ts';
import type { PreparedEvent } from '../event.ts';
import type { Written } from './writing.ts';

/** Prepared events, packed. Canonical JSON contains no line ends, so they serve as separators. */
export interface Packed {
  readonly heads: string;
  readonly ids: string;
  /** Type and closing, each with the number of consecutive events that have it. */
  readonly frames: readonly (readonly [count: number, type: string, closing: string])[];
}

export type Order =
  | { readonly kind: 'begin'; readonly stream: string }
  | { readonly kind: 'events'; readonly packed: Packed }
  | { readonly kind: 'commit' }
  | { readonly kind: 'abort' }
  /** Stops waiting for the lock. An append that has it goes on. */
  | { readonly kind: 'stop' };

export type Answer =
  | { readonly kind: 'written'; readonly written: Written }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'failed'; readonly failure: Failure };

export function pack(events: readonly PreparedEvent[]): Packed {
  const heads: string[] = [];
  const frames: [number, string, string][] = [];
  let ids = '';
  for (const { id, type, head, closing } of events) {
    heads.push(head);
    ids += id;
    const last = frames.at(-1);
    if (last !== undefined && last[1] === type && last[2] === closing) last[0]++;
    else frames.push([1, type, closing]);
  }
  return { heads: heads.join('\n'), ids, frames };
}

const idLength = 36;

export function unpack({ heads, ids, frames }: Packed): PreparedEvent[] {
  const events: PreparedEvent[] = [];
  const each = heads.split('\n');
  for (const [count, type, closing] of frames) {
    for (let i = 0; i < count; i++) {
      const at = events.length;
      events.push({ id: ids.slice(at * idLength, (at + 1) * idLength), type, head: each[at] as string, closing });
    }
  }
  return events;
}

/** An error as a message, because sending it between threads would lose its class. */
export interface Failure {
  readonly name: string;
  readonly message: string;
  /** Null: it is no IcecoreError. */
  readonly own: Pick<IcecoreError, 'kind' | 'facts' | 'remedy'> | null;
  /** SQLite's result code, if SQLite failed. */
  readonly errcode: unknown;
}

export function toFailure(error: unknown): Failure {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  if (!(error instanceof IcecoreError))
    return { name, message, own: null, errcode: (error as Failure | null)?.errcode };
  const { kind, facts, remedy } = error;
  return { name, message, own: { kind, facts, remedy }, errcode: undefined };
}

export function toError({ name, message, own, errcode }: Failure): Error {
  if (own === null) return Object.assign(new Error(message), { errcode });
  if (name !== 'DuplicateId') return new IcecoreError(own.kind, message, { name, ...own });
  const [id, stored, differs] = [own.facts['id'], own.facts['stored'], own.facts['differs']];
  return new DuplicateId(id as string, stored as { stream: string; revision: number }, differs as string[]);
}
