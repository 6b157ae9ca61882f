// An event as a line of a bundle: the bytes that were hashed, with what the store knows of it put at their end. It is the
// line that `icecore event tail --json` prints, and it gives back the very bytes.
import type { Cursor } from '../../../ledger/event.ts';
import { StoredEvent, skimBody } from '../../../ledger/stored.ts';

export function lineOf({ body, recordedAt, digest }: StoredEvent): string {
  return `${body.slice(0, -1)},"recordedAt":"${recordedAt}","digest":"${digest}"}\n`;
}

const added = /,"recordedAt":"([^"]{20,30})","digest":"([0-9a-f]{64})"\}$/;
const longestAdded = 160;

/** Of a line without its end; null where it is none. Whether the digest is that of the bytes is for the ledger to tell. */
export function eventOf(line: string): StoredEvent | null {
  const [ending, at = '', digest = ''] = added.exec(line.slice(-longestAdded)) ?? [];
  const recordedMs = Date.parse(at);
  if (ending === undefined || !isWritten(at, recordedMs)) return null;
  const body = `${line.slice(0, -ending.length)}}`;
  const own = skimBody(body);
  if (own === null || typeof own.id !== 'string') return null;
  const { stream, revision, type, id } = own;
  return new StoredEvent(stream, revision, type, id.replaceAll('-', ''), recordedMs, digest, body, nowhere);
}

/** It has no place in a ledger yet. */
const nowhere: Cursor = '';

function isWritten(at: string, milliseconds: number): boolean {
  return !Number.isNaN(milliseconds) && new Date(milliseconds).toISOString() === at;
}
