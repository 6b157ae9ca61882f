// What a verification finds. A fault means that the ledger is not what was written to it; a notice is something a reader
// should know that is no fault: a text that was erased, an attempt that lost.

import { faultKinds, type noticeKinds } from '../../../schemas/finding-kinds.ts';

export type FaultKind = (typeof faultKinds)[number];
export type NoticeKind = (typeof noticeKinds)[number];

export interface Finding {
  readonly kind: FaultKind | NoticeKind;
  /** What it is about: `run-x@4`, a stream, a part of the file. */
  readonly where: string;
  /** The event's id, where it is about one. */
  readonly event: string | null;
  readonly says: string;
}

export function isFault({ kind }: Finding): boolean {
  return (faultKinds as readonly string[]).includes(kind);
}

/** Findings up to a number, and a count of the rest: a ledger that is wrong everywhere must not fill the memory. */
export class Findings {
  readonly #most: number;
  readonly #kept: Finding[] = [];
  #total = 0;
  #faults = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(finding: Finding): void {
    this.#total++;
    if (isFault(finding)) this.#faults++;
    if (this.#kept.length < this.#most) this.#kept.push(finding);
  }

  /** Takes over what another gathered, with what it left out. */
  join({ kept, total, faults }: FindingsState): void {
    for (const finding of kept) this.add(finding);
    this.#total += total - kept.length;
    this.#faults += faults - kept.filter(isFault).length;
  }

  get faults(): number {
    return this.#faults;
  }

  toJSON(): FindingsState {
    return { kept: [...this.#kept], total: this.#total, faults: this.#faults };
  }
}

export interface FindingsState {
  readonly kept: readonly Finding[];
  readonly total: number;
  readonly faults: number;
}
