// Events as lines of JSON: as they are stored, or as CloudEvents.
import { toCloudEvent } from '../../../schemas/cloudevents.ts';
import { escapeControlsInJson, jsonText } from '../../base/printable-json.ts';
import type { Cursor } from '../../ledger/event.ts';
import type { StoredEvent } from '../../ledger/stored.ts';

/**
 * The event as JSON, with members of its own at the end. The stored body is JSON already, so it is taken as it is: to
 * parse it and write it again would cost more than to read it.
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

/** Neither cut off nor several lines, of which each would be taken for an event; more is not looked at for each of millions. */
function isOneObject(body: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: canonical JSON has none
  return body.startsWith('{"') && body.endsWith('}') && !/[\u0000-\u001f]/.test(body);
}

/** Whether its bytes have what every event has, whatever they say: those that somebody damaged or forged may not. */
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

/** Its place, in which it differs from an event that can be read. */
function unreadableJson({ stream, revision, type, recordedAt, digest }: StoredEvent, more: object): string {
  return jsonText({ stream, revision, type, unreadable, recordedAt, digest, ...more });
}
