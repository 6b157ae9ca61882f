// Time as the client of models sees it, so that what takes minutes can be tried at once.

export interface Clock {
  /** Milliseconds since 1970; it never goes back. */
  now(): number;
  /** Rings once after so many milliseconds. What it returns calls that off. */
  after(ms: number, ring: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  after: (ms, ring) => {
    const timer = setTimeout(ring, ms);
    return () => clearTimeout(timer);
  },
};

/** Waits; when the signal aborts, its reason is thrown at once. */
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

/** What the promise gives, or the signal's reason, at once, when it aborts first. */
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
