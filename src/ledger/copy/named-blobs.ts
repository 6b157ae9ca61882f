// The blobs that an event names.
import { eventTypes } from '../../../schemas/catalogue.ts';
import { blobsIn } from '../../../schemas/texts.ts';
import type { StoredEvent } from '../stored.ts';
import { ownText } from './own-text.ts';

const looksLikeOne = /"(?:blob|reference)":"([0-9a-f]{64})"/g;

/**
 * Looking at the text is quicker than parsing every event. Of a type that only a newer icecore knows, whatever looks like
 * a blob may be one.
 */
export function namedBy(event: StoredEvent): readonly string[] {
  const { body } = event;
  if (!body.includes('"blob":"') && !body.includes('"reference":"')) return [];
  if (!isKnown(event)) return Array.from(body.matchAll(looksLikeOne), ([, blob = '']) => ownText(blob));
  const { type, version, data } = event.envelope;
  return blobsIn(type, version, data).map(({ blob }) => blob);
}

/** Can it be said what of its data names a blob? Not of what is damaged, either. */
export function isKnown(event: StoredEvent): boolean {
  try {
    return eventTypes.get(event.type)?.versions[event.envelope.version - 1] !== undefined;
  } catch {
    return false;
  }
}

/** Does the event name the blob as a text, and as nothing else? */
export function namesAsText(event: StoredEvent, blob: string): boolean {
  if (!isKnown(event)) return false;
  const { type, version, data } = event.envelope;
  return blobsIn(type, version, data).every((named) => named.blob !== blob || named.isText);
}

/** Are its bytes still those that were recorded? */
export function isIntact({ hashed, digest }: StoredEvent): boolean {
  return hashed === digest;
}
