// Iteration over a source that may block for ever, with signals that end the waiting.

/** The items; when a signal aborts, its reason is thrown at once, even while waiting for the source. */
export async function* abortable<Item>(
  source: Iterable<Item> | AsyncIterable<Item>,
  ...signals: readonly (AbortSignal | undefined)[]
): AsyncGenerator<Item, void, undefined> {
  const signal = AbortSignal.any(signals.filter((one) => one !== undefined));
  const aborted = Promise.withResolvers<never>();
  // The rejection may come when nothing awaits it.
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
    // A stuck source does not react to `return`, so it is not awaited.
    if (!isDone) void Promise.resolve(items.return?.()).catch(() => {});
  }
}
