// What a ledger refuses in an event, told to the one who wrote it: by the names and values of the input, which may be a
// CloudEvent, and not by those of the event that was made of it. Run only on events that are refused.

import { attributeOf, isCloudEvent } from '../../../schemas/cloudevents.ts';
import type { IcecoreError, Issue } from '../../../schemas/errors.ts';
import { parseJson } from '../../../schemas/json-text.ts';
import { found } from '../../../schemas/phrase.ts';
import { blobsIn, textsIn } from '../../../schemas/texts.ts';
import { DuplicateId, EventTooLarge, InvalidEvents } from '../../ledger/errors.ts';
import { BadPiece, badPiece } from './faults.ts';
import type { Taken } from './window.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What an append of several events refused, told of the one at this index. */
export function faultOf(error: IcecoreError, index: number, taken: Taken): IcecoreError {
  if (error instanceof EventTooLarge) {
    const { bytes, limit } = error.facts;
    return badPiece('', `${bytes} bytes`, `at most ${limit} bytes`, tooLarge);
  }
  if (error instanceof DuplicateId) return duplicate(error, taken);
  if (!(error instanceof InvalidEvents)) return error;
  const issues = error.issues.filter((issue) => issue.index === index).map((issue) => asWritten(issue, taken));
  const [first, ...others] = issues;
  return first === undefined ? error : new BadPiece([first, ...others]);
}

const tooLarge =
  'Keep its texts as blobs, with --texts blobs; put anything else that is long first, icecore blob put FILE, and name the blob.';

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
  'The same text as a blob and in the event is not the same event: append it with the --texts of the first time. Where it is another text, give the event an id of its own.';

/** Where the event has texts, in itself or as blobs. */
function placesOfTexts({ event: { type, version, data } }: Taken): readonly string[] {
  const named = blobsIn(type, version, data).filter(({ isText }) => isText);
  return [...named, ...textsIn(type, version, data)].map(({ field }) => field);
}

/** A value is shown as it was before anything was made of it: an id in its own case, a source with its %XX. */
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
