// The file of the test server: commits one after another, each with its events. Offsets in it are the events' positions
// in the log, so these are sparse and grow as a real server's do. What a killed process left half written is cut off.
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { decoded, encoded, type Proposed, type Recorded } from './recorded.ts';

/** What is done to the log in one go. A scavenge is noted with its time, so that it can be done again. */
export type Entry =
  | { readonly kind: 'events'; readonly events: readonly Recorded[] }
  | { readonly kind: 'scavenge'; readonly time: number };

const heading = Buffer.from('a log of the test server\n');
const kinds = { events: 1, scavenge: 2 } as const;
/** The length of what follows, and its kind. */
const frameBytes = 5;

export class LogFile {
  readonly #file: number;
  #end: number;

  private constructor(file: number, end: number) {
    this.#file = file;
    this.#end = end;
  }

  static open(path: string): { readonly log: LogFile; readonly entries: readonly Entry[] } {
    const file = openSync(path, 'a+');
    const content = Buffer.alloc(fstatSync(file).size);
    readSync(file, content, 0, content.length, 0);
    if (content.length === 0) writeSync(file, heading);
    const { entries, end } = content.length === 0 ? { entries: [], end: heading.length } : read(content);
    ftruncateSync(file, end);
    return { log: new LogFile(file, end), entries };
  }

  /** Where the next commit begins. */
  get end(): number {
    return this.#end;
  }

  /** All of one stream, from a revision on; a tombstone comes alone. */
  append(stream: string, revision: number, events: readonly Proposed[], created: number): Recorded[] {
    const recorded: Recorded[] = [];
    // As on a true server, the next commit begins where this one ends.
    let position = this.#end;
    let end = position + frameBytes;
    for (const [i, event] of events.entries()) {
      const place = { stream, revision: revision + i, created, position };
      const answer = encoded(event, place);
      end += 4 + answer.length;
      recorded.push({ ...place, id: event.id, type: event.type, end, answer });
      position = end;
    }
    this.#write(
      'events',
      recorded.flatMap(({ answer }) => [lengthOf(answer), answer]),
    );
    return recorded;
  }

  noteScavenge(time: number): void {
    const content = Buffer.alloc(8);
    content.writeDoubleBE(time);
    this.#write('scavenge', [content]);
  }

  close(): void {
    closeSync(this.#file);
  }

  #write(kind: keyof typeof kinds, parts: readonly Buffer[]): void {
    const frame = Buffer.alloc(frameBytes);
    const bytes = Buffer.concat([frame, ...parts]);
    bytes.writeUInt32BE(bytes.length - frameBytes);
    bytes.writeUInt8(kinds[kind], 4);
    writeSync(this.#file, bytes);
    this.#end += bytes.length;
  }
}

function read(content: Buffer): { entries: Entry[]; end: number } {
  if (!content.subarray(0, heading.length).equals(heading)) throw new Error('not a log of the test server');
  const entries: Entry[] = [];
  let end = heading.length;
  while (end + frameBytes <= content.length) {
    const next = end + frameBytes + content.readUInt32BE(end);
    if (next > content.length) break;
    const body = content.subarray(end + frameBytes, next);
    const isScavenge = content.readUInt8(end + 4) === kinds.scavenge;
    entries.push(
      isScavenge ? { kind: 'scavenge', time: body.readDoubleBE() } : { kind: 'events', events: eventsIn(body, end) },
    );
    end = next;
  }
  return { entries, end };
}

/** The first begins with its frame. */
function eventsIn(body: Buffer, start: number): Recorded[] {
  const events: Recorded[] = [];
  for (let at = 0; at < body.length; ) {
    const length = body.readUInt32BE(at);
    const position = at === 0 ? start : start + frameBytes + at;
    const answer = body.subarray(at + 4, at + 4 + length);
    at += 4 + length;
    events.push(decoded(answer, { position, end: start + frameBytes + at }));
  }
  return events;
}

function lengthOf(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return length;
}
