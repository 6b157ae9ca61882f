// Which recorded answers of models events rest on: they stand in streams of their own, named by the digest of what was
// asked, and a run without them could not be replayed.
import { streamOf } from '../../../schemas/streams.ts';
import type { StoredEvent } from '../stored.ts';

const reference = /"(?:key|modelAnswer)":"([0-9a-f]{64})"/g;

/** The streams of answers that may be meant: a digest under that name that is none leads to a stream that is not there. */
export function answersIn(events: readonly StoredEvent[]): ReadonlySet<string> {
  const streams = new Set<string>();
  for (const { body } of events) {
    for (const [, digest = ''] of body.matchAll(reference)) streams.add(streamOf.answer(digest));
  }
  return streams;
}
