// Where an intake puts events, and what it asks of them.
import type { NewEvent } from '../../../schemas/envelope.ts';
import type { Appended, AppendOptions } from '../../ledger/ledger.ts';
import { prepareEvents } from '../../ledger/prepare.ts';

/** Where events go: a ledger, or what only checks them. */
export interface Target {
  readonly maxEventBytes: number;
  append(
    stream: string,
    events: readonly NewEvent[],
    options: AppendOptions,
  ): Promise<Pick<Appended, 'revision' | 'existed'>>;
}

/** Checks events as a ledger would, and keeps nothing: what it cannot know is whether an id is taken. */
export function checkingTarget(maxEventBytes: number): Target {
  return {
    maxEventBytes,
    append: async (stream, events) => {
      prepareEvents(stream, events, maxEventBytes);
      return { revision: -1, existed: events.map(() => false) };
    },
  };
}

/** Texts of prompts in other scripts, written with ASCII escapes, take three times the bytes they have in a store. */
export function longestPiece(maxEventBytes: number): number {
  return 3 * maxEventBytes + 65_536;
}
