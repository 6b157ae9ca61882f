// Describes why a ledger refused an event in terms of the input, which may be a CloudEvent, instead of the event made
// from it. Runs only for refused events.

import { closeSync, openSync, writeSync } from 'node:fs';
import type { EventTypes } from '../../../schemas/check.ts';
import { attributeOf, isCloudEvent } from '../../../schemas/cloudevents.ts';
import { found, IcecoreError, type Issue } from '../../../schemas/errors.ts';
import { parseJson } from '../../../schemas/json-text.ts';
import { blobsIn, textsIn } from '../../../schemas/texts.ts';
import { DuplicateId, EventTooLarge, InvalidEvents } from '../../ledger/errors.ts';
import { bodyAt } from '../../ledger/event.ts';
import { differences } from '../../ledger/identity/sameness.ts';
import { prepareEvents } from '../../ledger/prepare.ts';
import { BadPiece, badPiece, nameOfPlace } from './faults.ts';
import { type Piece, textOf } from './pieces.ts';
import type { Refused, Taken } from './windows.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The fault of an append of several events, for the event at this index. */
export function faultOf(error: IcecoreError, index: number, taken: Taken): IcecoreError {
  if (error instanceof EventTooLarge) {
    const { bytes, limit } = error.facts;
    return badPiece('', `${bytes} bytes`, `at most ${limit} bytes`, remedyOfTooLarge);
  }
  if (error instanceof DuplicateId) return duplicate(error, taken);
  if (!(error instanceof InvalidEvents)) return error;
  const issues = error.issues.filter((issue) => issue.index === index).map((issue) => asWritten(issue, taken));
  const [first, ...others] = issues;
  return first === undefined ? error : new BadPiece([first, ...others]);
}

const longValues = 'store other long values first with icecore blob put FILE, and name the blobs.';

const remedyOfTooLarge = {
  remedy: `Keep its texts as blobs, as the setting texts says; ${longValues}`,
  commandRemedy: `Keep its texts as blobs with --texts blobs; ${longValues}`,
};

function duplicate({ id, facts }: DuplicateId, taken: Taken): DuplicateId {
  const written = writtenIn(taken);
  const differs = facts['differs'] as readonly string[];
  const stored = facts['stored'] as { stream: string; revision: number };
  const names = differs.map((field) => nameOf(field, written));
  const own = new Set(placesOfTexts(taken));
  return differs.every((field) => own.has(field))
    ? new DuplicateId(id, stored, names, otherTexts)
    : new DuplicateId(id, stored, names);
}

const otherTexts =
  'An event with a text as a blob differs from one with the text inline: keep texts where they were kept before (the setting texts). If it is another text, give the event another id.';

/** The fields in which the event has texts, inline or as blobs. */
function placesOfTexts({ event: { type, version, data } }: Taken): readonly string[] {
  const named = blobsIn(type, version, data).filter(({ isText }) => isText);
  return [...named, ...textsIn(type, version, data)].map(({ field }) => field);
}

/** Shows a value as written in the input: an id in its own case, a source with its %XX. */
function asWritten({ field, found: said, allowed }: Issue, taken: Taken): Issue {
  const written = writtenIn(taken);
  const name = nameOf(field, written);
  const checked = ({ ...taken.event, stream: taken.stream } as Fields)[field];
  const isShown = Object.hasOwn(written, name) && said === found(checked);
  return { field: name, found: isShown ? found(written[name]) : said, allowed };
}

function writtenIn({ piece }: Taken): Fields {
  return parseJson(piece.bytes.toString('utf8')) as Fields;
}

function nameOf(field: string, written: Fields): string {
  return isCloudEvent(written) ? attributeOf(field) : field;
}

// Finds the event that a refused append failed for.

/** Null if the fault is not specific to an event. */
export function blamed(taken: readonly Taken[], fault: IcecoreError, types: EventTypes | undefined): Refused | null {
  if (fault instanceof DuplicateId) return withTakenId(taken, fault, types);
  const guilty = oversized(taken, fault);
  return guilty === undefined ? null : { piece: guilty.piece, fault: faultOf(fault, 0, guilty) };
}

function oversized(taken: readonly Taken[], fault: IcecoreError): Taken | undefined {
  return fault instanceof EventTooLarge ? taken[Number(fault.facts['index'])] : undefined;
}

/** If an id appears twice, the event that differs from the first is to blame; if all are equal, the first. */
function withTakenId(taken: readonly Taken[], fault: DuplicateId, types: EventTypes | undefined): Refused | null {
  const [first, ...others] = taken.filter(({ event }) => event.id === fault.id);
  if (first === undefined) return null;
  for (const other of others) {
    const differs = differences(bodyOf(first, types), bodyOf(other, types));
    if (differs.length > 0) return { piece: other.piece, fault: new IdUsedTwice(fault.id, first, other, differs) };
  }
  return { piece: first.piece, fault: faultOf(fault, 0, first) };
}

/** Two events of one input, of which none is stored, have the same id. */
class IdUsedTwice extends IcecoreError {
  override readonly name = 'IdUsedTwice';

  constructor(id: string, first: Taken, other: Taken, fields: readonly string[]) {
    const written = writtenIn(other);
    const differs = fields.map((field) => nameOf(field, written));
    super('conflict', `id ${id} is also that of ${nameOfPlace(first.piece)}, which differs in ${differs.join(', ')}`, {
      facts: { id, other: first.piece.line, differs },
      remedy: 'Give each event an id of its own; the same event may be sent twice.',
    });
  }
}

function bodyOf({ stream, event }: Taken, types: EventTypes | undefined): string {
  const [prepared] = prepareEvents(stream, [event], Number.MAX_SAFE_INTEGER, types);
  return prepared === undefined ? '' : bodyAt(prepared, 0, null);
}

// The rejects file: a line of JSON for each bad piece, with its issue and its text. An intake accepts such a file as
// input: it takes the text, which may have been corrected.

interface Rejected {
  readonly line: number;
  readonly error: Readonly<Record<string, unknown>>;
  readonly bytes: number;
  readonly text: string;
  /** False if `text` is only the start, or not the original bytes. */
  readonly whole: boolean;
}

function rejectedOf({ piece, fault }: Refused): Rejected {
  const { text, isWhole } = textOf(piece);
  return { line: piece.line, error: errorOf(fault), bytes: piece.size, text, whole: isWhole };
}

/** No event has such a field, and every piece is tested for it, so the test must be cheap. */
const opening = Buffer.from('{"line":');

/** The original text of a rejected piece; any other piece unchanged. */
export function asItWas(piece: Piece): Piece {
  const { bytes, line } = piece;
  if (bytes[2] !== opening[2] || !bytes.subarray(0, opening.length).equals(opening)) return piece;
  const rejected = rejectedIn(bytes);
  if (rejected === null) return piece;
  const text = Buffer.from(rejected.text);
  const isPart = rejected.whole === false;
  return { line, bytes: text, size: isPart ? rejected.bytes : text.length, isTooLong: isPart, isEnded: true };
}

function rejectedIn(bytes: Buffer): Rejected | null {
  try {
    const value = parseJson(bytes.toString('utf8')) as Rejected;
    const isText = typeof value.text === 'string' && typeof value.bytes === 'number';
    return isText && Object.keys(value).every((key) => rejectedFields.has(key)) ? value : null;
  } catch {
    return null;
  }
}

const rejectedFields: ReadonlySet<string> = new Set<keyof Rejected>(['line', 'error', 'bytes', 'text', 'whole']);

function errorOf(fault: IcecoreError): Record<string, unknown> {
  return { kind: fault.kind, message: fault.message, ...fault.facts };
}

export class RejectsFile {
  readonly #path: string;
  readonly #file: number;

  /** Created or emptied at once, so that it contains only the pieces of this intake. */
  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path, 'w');
  }

  add(refused: Refused): void {
    try {
      writeSync(this.#file, `${JSON.stringify(rejectedOf(refused))}\n`);
    } catch (cause) {
      throw new RejectsFailed(this.#path, cause);
    }
  }

  close(): void {
    closeSync(this.#file);
  }
}

class RejectsFailed extends IcecoreError {
  override readonly name = 'RejectsFailed';

  constructor(path: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super('storage', `${path}: cannot write rejected lines (${why})`, {
      facts: { path },
      remedy: 'Free some space or name another file.',
      cause,
    });
  }
}
