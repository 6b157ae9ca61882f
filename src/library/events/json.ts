// Events as lines of JSON: as stored, or as CloudEvents.
import { toCloudEvent } from '../../../schemas/cloudevents.ts';
import { escapeControlsInJson, jsonText } from '../../base/printable-json.ts';
import type { Cursor } from '../../ledger/event.ts';
import type { StoredEvent } from '../../ledger/stored.ts';

/**
 * The event as JSON, with extra members at the end. The stored body is JSON already and is used as it is, because parsing and
 * writing it again would cost more than reading it.
 */
export function eventJson(event: StoredEvent, more: Readonly<Record<string, unknown>>): string {
  if (!isOneObject(event.body)) return unreadableJson(event, more);
  const known = event.isKnown ? {} : { known: false };
  const added = JSON.stringify({ recordedAt: event.recordedAt, digest: event.digest, ...known, ...more });
  return escapeControlsInJson(`${event.body.slice(0, -1)},${added.slice(1)}`);
}

export function cloudEventJson(event: StoredEvent, unsealedAfter: Cursor | null): string {
  const mark = unsealedAfter === null ? {} : { unsealed: true };
  return isReadable(event) ? jsonText({ ...toCloudEvent(event.toJSON()), ...mark }) : unreadableJson(event, mark);
}

/** Checks only that the body is one whole line; a full check would be too slow for millions of events. */
function isOneObject(body: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: canonical JSON has none
  return body.startsWith('{"') && body.endsWith('}') && !/[\u0000-\u001f]/.test(body);
}

/** Whether its bytes have the fields of every event; damaged or forged ones may not. */
export function isReadable(event: StoredEvent): boolean {
  try {
    const { id, at, actor, causes } = event.envelope;
    const areTexts = [id, at, actor].every((one) => typeof one === 'string' && one.isWellFormed());
    return areTexts && Array.isArray(causes) && causes.every((one) => typeof one === 'object' && one !== null);
  } catch {
    return false;
  }
}

export const unreadable = 'its bytes are not an event';

/** Its location, which distinguishes it from a readable event. */
function unreadableJson({ stream, revision, type, recordedAt, digest }: StoredEvent, more: object): string {
  return jsonText({ stream, revision, type, unreadable, recordedAt, digest, ...more });
}
