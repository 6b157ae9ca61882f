// The findings of a verification. A fault means that the ledger is not what was written to it; a notice is other information for
// the reader, such as an erased text or an attempt that does not count.
import { faultKinds, type noticeKinds } from '../../../schemas/finding-kinds.ts';
import { messageOf } from '../../base/folders.ts';
import { isAway, LedgerClosed } from '../errors.ts';
import { placeOf, uuidOf } from '../event.ts';
import type { StoredEvent } from '../stored.ts';

export type FaultKind = (typeof faultKinds)[number];
type NoticeKind = (typeof noticeKinds)[number];

/** A finding of a verification: a fault or a notice. */
export interface Finding {
  readonly kind: FaultKind | NoticeKind;
  /** The subject: `run-x@4`, a stream, a part of the file. */
  readonly where: string;
  /** The id of the event, if the subject is one. */
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

/** The text of a finding about an unreadable part. Throws errors that say nothing about the ledger, such as an unavailable store. */
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
 * Keeps a limited number of faults, and separately of notices, so that notices cannot hide faults; of the rest only the number is
 * kept, since a completely damaged ledger must not fill the memory.
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

  /** Adds the findings of another, including its omitted ones. */
  join({ kept, total, faults }: FindingsState): void {
    for (const found of kept) this.add(found);
    this.#total += total - kept.length;
    this.#faultsInAll += faults - kept.filter(isFault).length;
  }

  toJSON(): FindingsState {
    return { kept: [...this.#faults, ...this.#notices], total: this.#total, faults: this.#faultsInAll };
  }
}
