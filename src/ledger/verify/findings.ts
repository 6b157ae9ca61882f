// What a verification finds. A fault means that the ledger is not what was written to it; a notice is something a reader
// should know that is no fault: a text that was erased, an attempt that lost.
import { faultKinds, type noticeKinds } from '../../../schemas/finding-kinds.ts';
import { messageOf } from '../../base/folders.ts';
import { isAway, LedgerClosed } from '../errors.ts';
import { placeOf, uuidOf } from '../event.ts';
import type { StoredEvent } from '../stored.ts';

export type FaultKind = (typeof faultKinds)[number];
type NoticeKind = (typeof noticeKinds)[number];

/** One thing that a verification found: a fault, or something worth knowing that is none. */
export interface Finding {
  readonly kind: FaultKind | NoticeKind;
  /** What it is about: `run-x@4`, a stream, a part of the file. */
  readonly where: string;
  /** The event's id, where it is about one. */
  readonly event: string | null;
  readonly says: string;
}

export function finding(kind: Finding['kind'], about: StoredEvent | string, says: string): Finding {
  if (typeof about === 'string') return { kind, where: about, event: null, says };
  return { kind, where: placeOf(about), event: uuidOf(about), says };
}

export function isFault({ kind }: Finding): boolean {
  return (faultKinds as readonly string[]).includes(kind);
}

/** What a finding says of a part that cannot be read. Throws what says nothing of the ledger: a store that does not answer. */
export function whyUnreadable(error: unknown): string {
  if (isAway(error) || error instanceof LedgerClosed) throw error;
  return messageOf(error);
}

export interface FindingsState {
  /** Faults first. */
  readonly kept: readonly Finding[];
  readonly total: number;
  readonly faults: number;
}

/**
 * As many faults as a number says, and as many notices, so that these cannot hide those; of the rest only how many there
 * are: a ledger that is wrong everywhere must not fill the memory.
 */
export class Findings {
  readonly #most: number;
  readonly #faults: Finding[] = [];
  readonly #notices: Finding[] = [];
  #total = 0;
  #faultsInAll = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(found: Finding): void {
    this.#total++;
    if (isFault(found)) this.#faultsInAll++;
    const list = isFault(found) ? this.#faults : this.#notices;
    if (list.length < this.#most) list.push(found);
  }

  /** Takes over what another gathered, with what it left out. */
  join({ kept, total, faults }: FindingsState): void {
    for (const found of kept) this.add(found);
    this.#total += total - kept.length;
    this.#faultsInAll += faults - kept.filter(isFault).length;
  }

  toJSON(): FindingsState {
    return { kept: [...this.#faults, ...this.#notices], total: this.#total, faults: this.#faultsInAll };
  }
}
