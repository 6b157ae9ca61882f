// The events of a bundle in parts that fit into memory: the same events always make the same parts.

import type { Cursor } from '../../../ledger/event.ts';
import { StoredEvent, skimBody } from '../../../ledger/stored.ts';

const partBytes = 4 * 1024 * 1024;

/** More than a part and its last event take, so that whoever reads one knows when to refuse. */
export const longestPart: number = 2 * partBytes;

interface Part {
  readonly name: string;
  readonly text: Buffer;
}

export async function* partsOf(
  events: AsyncIterable<readonly StoredEvent[]>,
  look: (events: readonly StoredEvent[]) => void | Promise<void>,
): AsyncGenerator<Part> {
  let lines: Buffer[] = [];
  let bytes = 0;
  let number = 0;
  const cut = (): Part => {
    number++;
    const part = { name: `events/${String(number).padStart(9, '0')}.ndjson`, text: Buffer.concat(lines) };
    lines = [];
    bytes = 0;
    return part;
  };
  for await (const some of events) {
    await look(some);
    for (const event of some) {
      const line = Buffer.from(lineOf(event));
      lines.push(line);
      bytes += line.length;
      if (bytes >= partBytes) yield cut();
    }
  }
  if (lines.length > 0) yield cut();
}

// An event as a line of a bundle: the bytes that were hashed, with what the store knows of it put at their end. It is the
// line that `icecore event tail --json` prints, and it gives back the very bytes.

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
