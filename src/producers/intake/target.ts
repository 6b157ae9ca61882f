// Where an intake puts events, and what it asks of it.
import type { Appended, AppendOptions } from '../../ledger/ledger.ts';
import { prepareEvents } from '../../ledger/prepare.ts';
import type { Known } from './named-blobs.ts';
import { longestInline, type Outgoing } from './texts.ts';

/** Where events go: a ledger with its blobs, or what only checks them. */
export interface Target {
  readonly maxEventBytes: number;
  /** What is there already; asked where events name blobs. */
  readonly known: Known;
  readonly kept: Kept;
  /** Appends events of one stream, their own texts before them. */
  append(
    stream: string,
    outgoing: readonly Outgoing[],
    options: AppendOptions,
  ): Promise<Pick<Appended, 'revision' | 'existed'>>;
  /** All of the input is taken in. */
  finish(): Promise<void>;
}

/** What became of texts so far. */
export interface Kept {
  /** Blobs that were written; those that were there before are not counted. */
  readonly written: number;
  /** Texts that were not written, because the ledger says that they were erased. */
  readonly erased: number;
}

/** Checks events as a ledger would, and keeps nothing: what it cannot know is whether an id is taken. */
export function checkingTarget(maxEventBytes: number, known: Known): Target {
  return {
    maxEventBytes,
    known,
    kept: { written: 0, erased: 0 },
    append: async (stream, outgoing) => {
      const events = outgoing.map(({ event }) => event);
      prepareEvents(stream, events, maxEventBytes);
      return { revision: -1, existed: events.map(() => false) };
    },
    finish: async () => {},
  };
}

/** Beside what an event holds, its texts may be as long as this. */
const longestTexts = 16 * 1024 * 1024;

/** Texts of prompts in other scripts, written with ASCII escapes, take three times the bytes they have in a store. */
export function longestPiece(maxEventBytes: number, longest: number): number {
  return 3 * maxEventBytes + 65_536 + (longest === longestInline.everything ? 0 : longestTexts);
}
