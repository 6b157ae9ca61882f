// Items of a source that may keep its reader waiting for ever, and signals that end the waiting.

/** The items; when one of the signals aborts, its reason is thrown at once, also while the source is waited for. */
export async function* abortable<Item>(
  source: Iterable<Item> | AsyncIterable<Item>,
  ...signals: readonly (AbortSignal | undefined)[]
): AsyncGenerator<Item, void, undefined> {
  const signal = AbortSignal.any(signals.filter((one) => one !== undefined));
  const aborted = Promise.withResolvers<never>();
  // It may be that nobody waits when it comes.
  aborted.promise.catch(() => {});
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  const items = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  let isDone = false;
  try {
    for (;;) {
      signal.throwIfAborted();
      const next = await Promise.race([items.next(), aborted.promise]);
      isDone = next.done === true;
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', abort);
    // A source that is stuck does not end when it is told to: it is not waited for.
    if (!isDone) void Promise.resolve(items.return?.()).catch(() => {});
  }
}
