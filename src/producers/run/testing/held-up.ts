// A ledger whose process is suspended between its check and its append: the append of an event waits until it is
// released.
import type { Ledger } from '../../../ledger/ledger.ts';

export interface HeldUp {
  readonly ledger: Ledger;
  /** Resolves when the append has been reached and waits. */
  readonly reached: Promise<void>;
  /** Releases it; resolves with its error, or null if it was stored. */
  readonly goOn: () => Promise<unknown>;
}

/** Waits once, before the first append of such an event. */
export function heldUp(ledger: Ledger, type: string): HeldUp {
  const reached = Promise.withResolvers<void>();
  const free = Promise.withResolvers<void>();
  const outcome = Promise.withResolvers<unknown>();
  let isFirst = true;
  const append: Ledger['append'] = async (stream, events, options) => {
    if (!isFirst || !events.some((event) => event.type === type)) return await ledger.append(stream, events, options);
    isFirst = false;
    reached.resolve();
    await free.promise;
    const appended = ledger.append(stream, events, options);
    void appended.then(() => outcome.resolve(null), outcome.resolve);
    return await appended;
  };
  const goOn = async (): Promise<unknown> => {
    free.resolve();
    return await outcome.promise;
  };
  return { ledger: withAppend(ledger, append), reached: reached.promise, goOn };
}

/** The same ledger with another append method. */
export function withAppend(ledger: Ledger, append: Ledger['append']): Ledger {
  return new Proxy(ledger, {
    get: (target, name: keyof Ledger) => {
      if (name === 'append') return append;
      const member = target[name];
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
