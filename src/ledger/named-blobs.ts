// The blobs that an event names.
import { eventTypes } from '../../schemas/catalogue.ts';
import { blobsIn, type NamedBlob } from '../../schemas/texts.ts';
import type { StoredEvent } from './stored.ts';

const looksLikeOne = /"(?:blob|reference)":"([0-9a-f]{64})"/g;

/**
 * Looking at the text is quicker than parsing every event. Of a type that only a newer icecore knows, whatever looks like
 * a blob may be one.
 */
export function namedBy(event: StoredEvent): readonly string[] {
  const { body } = event;
  if (!body.includes('"blob":"') && !body.includes('"reference":"')) return [];
  if (!isKnown(event)) return Array.from(body.matchAll(looksLikeOne), ([, blob = '']) => ownText(blob));
  return blobsOf(event).map(({ blob }) => blob);
}

/** Throws where the event cannot be read. */
export function blobsOf({ envelope: { type, version, data } }: StoredEvent): readonly NamedBlob[] {
  return blobsIn(type, version, data);
}

/** Whether it can be said what of its data names a blob. Not of what is damaged, either. */
export function isKnown(event: StoredEvent): boolean {
  try {
    return eventTypes.get(event.type)?.versions[event.envelope.version - 1] !== undefined;
  } catch {
    return false;
  }
}

/** Whether the event names the blob as a text, and as nothing else. */
export function namesAsText(event: StoredEvent, blob: string): boolean {
  return isKnown(event) && blobsOf(event).every((named) => named.blob !== blob || named.isText);
}

/** Whether its bytes are still those that were recorded. */
export function isIntact({ hashed, digest }: StoredEvent): boolean {
  return hashed === digest;
}

/** A copy of a part of a text (ASCII only): for a part that is remembered, the engine would remember the whole text. */
export function ownText(part: string): string {
  return Buffer.from(part, 'latin1').toString('latin1');
}
