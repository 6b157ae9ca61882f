// Who waits for a model sees nothing while an endpoint that is away is asked again and again, which may take minutes. A
// while after the beginning it is said once that this may be so.
import type { Context } from '../../context.ts';
import type { Named } from './policies.ts';

const afterMs = 15_000;

/** What is returned calls it off. */
export function headsUp(context: Context, { word, entry }: Named, ms: number = afterMs): () => void {
  if (entry === null) return () => {};
  const says =
    `no answer from ${word} yet: it thinks for long, or its endpoint is away, which is asked again for some minutes. ` +
    'icecore doctor tells which';
  const timer = setTimeout(() => void context.hint(says), ms);
  return () => clearTimeout(timer);
}
