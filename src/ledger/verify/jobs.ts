// The pieces a verification is cut into, and what is known of a piece once it has been looked at. Both travel between
// threads; what came of a piece is joined to that of the pieces before it.
import type { EventRange } from '../ledger.ts';
import type { SpanState } from '../seal/span.ts';
import type { FindingsState } from './findings.ts';

export type Job =
  | RangeJob
  | ({ readonly kind: 'stream' } & StreamJob)
  | { readonly kind: 'audit' /** Null: of everything. */; readonly run: string | null };

/** Revisions of a stream, both ends included. */
export interface StreamJob {
  readonly stream: string;
  readonly from: number;
  readonly to: number;
}

export interface RangeJob extends EventRange {
  readonly kind: 'range';
  /** The index of its first event among all; null where no tree over all is asked for. */
  readonly first: number | null;
}

export interface Tally {
  readonly events: number;
  readonly bytes: number;
  /** How many times an event names a blob. */
  readonly blobs: number;
  /** Events whose type or version this icecore does not know. */
  readonly opaque: number;
}

export const nothingYet: Tally = { events: 0, bytes: 0, blobs: 0, opaque: 0 };

export function sum(a: Tally, b: Tally): Tally {
  return {
    events: a.events + b.events,
    bytes: a.bytes + b.bytes,
    blobs: a.blobs + b.blobs,
    opaque: a.opaque + b.opaque,
  };
}

/** Events beside the evidence that counts, by stream: how many. */
export type Beside = readonly (readonly [stream: string, events: number])[];

export interface Outcome {
  readonly tally: Tally;
  readonly findings: FindingsState;
  /** Its part of the tree over all events. */
  readonly leaves: SpanState | null;
  /** Parts of the trees of sealed attempts, by stream. */
  readonly attempts: readonly (readonly [stream: string, part: SpanState])[];
  /** Of sealed attempts: events behind the seal. */
  readonly behind: Beside;
  /** Of evidence streams without a seal. */
  readonly unsealed: Beside;
}
