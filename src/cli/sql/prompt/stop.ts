// Waiting for something only as long as nobody says stop.

/** What the work gives, or null as soon as it is to stop, whether or not the work notices. */
export async function unless<T>(stop: AbortSignal, work: () => Promise<T>): Promise<T | null> {
  const stopping = new Promise<null>((resolve) => stop.addEventListener('abort', () => resolve(null), { once: true }));
  const working = work();
  working.catch(() => {});
  return await Promise.race([working, stopping]);
}
