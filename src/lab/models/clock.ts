// The clock of the model client, replaceable so that tests need not wait.

export interface Clock {
  /** Milliseconds since 1970, monotonic. */
  now(): number;
  /** Calls `ring` once after a delay. Returns a function that cancels it. */
  after(ms: number, ring: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  after: (ms, ring) => {
    const timer = setTimeout(ring, ms);
    return () => clearTimeout(timer);
  },
};

/** Waits; if the signal aborts, throws its reason at once. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const done = (): void => {
      signal.removeEventListener('abort', abort);
      resolve();
    };
    const callOff = clock.after(ms, done);
    const abort = (): void => {
      callOff();
      reject(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
  });
}

/** The promise's value; if the signal aborts first, throws its reason at once. */
export async function raced<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
