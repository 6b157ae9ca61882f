// The messages between the two threads of a bulk append. Events are sent as a few long strings, since sending many short ones
// would cost more than writing them.
import { IcecoreError } from '../../../schemas/errors.ts';
import { StorageFailed } from '../../base/folders.ts';
import { DuplicateId, LedgerBusy, NewerLedger } from '../errors.ts';
import type { PreparedEvent } from '../event.ts';
import type { Written } from './writing.ts';

/** Prepared events, packed. Canonical JSON contains no line ends, so they serve as separators. */
export interface Packed {
  readonly heads: string;
  readonly ids: string;
  /** Type and closing, each with the number of consecutive events that have it. */
  readonly frames: readonly (readonly [count: number, type: string, closing: string])[];
}

/** Indexes in the shared array: the number of orders sent, and whether to give up. */
export const sent = 0;
export const giveUp = 1;

export type Order =
  | { readonly kind: 'begin'; readonly stream: string }
  | { readonly kind: 'events'; readonly packed: Packed }
  | { readonly kind: 'commit' }
  | { readonly kind: 'abort' };

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
  readonly facts: Readonly<Record<string, unknown>>;
  readonly remedy: string;
  /** SQLite's result code, if SQLite failed. */
  readonly errcode: number | null;
}

export function toFailure(error: unknown): Failure {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  if (error instanceof IcecoreError) return { name, message, facts: error.facts, remedy: error.remedy, errcode: null };
  const errcode = (error as { errcode?: unknown }).errcode;
  return { name, message, facts: {}, remedy: '', errcode: typeof errcode === 'number' ? errcode : null };
}

export function toError({ name, message, facts, remedy, errcode }: Failure): Error {
  switch (name) {
    case 'DuplicateId':
      return new DuplicateId(
        facts['id'] as string,
        facts['stored'] as { stream: string; revision: number },
        facts['differs'] as string[],
      );
    case 'NewerLedger':
      return new NewerLedger(facts['path'] as string, facts['found'] as number, facts['understood'] as number);
    case 'StorageFailed':
      return new StorageFailed(facts['path'] as string, facts['what'] as string, remedy);
    case 'LedgerBusy':
      return new LedgerBusy(facts['path'] as string, facts['seconds'] as number);
    default:
      return Object.assign(new Error(message), errcode === null ? {} : { errcode });
  }
}
