// The events of a bundle in parts that fit into memory: the same events always make the same parts.
import type { StoredEvent } from '../../../ledger/stored.ts';
import { lineOf } from './lines.ts';

const partBytes = 4 * 1024 * 1024;

/** More than a part and its last event take, so that whoever reads one knows when to refuse. */
export const longestPart: number = 2 * partBytes;

export interface Part {
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
