// A fast path for sound evidence, which is nearly all of it: the end of its bytes follows from where it is filed, and their
// beginning is matched by a pattern without parsing. Events that do not match are examined in full.

import { type TypeName, versionOf } from '../../../schemas/catalogue.ts';
import { type DataPattern, dataPattern } from '../../../schemas/data-pattern.ts';
import { stageNumber } from '../../../schemas/primitives.ts';
import { parseStream } from '../../../schemas/streams.ts';
import { getOrCreate } from '../../base/get-or-create.ts';
import type { StoredEvent } from '../stored.ts';

const beforeRevision = ',"previous":null,"revision":';
const idMember = ',"id":"';
/** `,"id":"`, the id and its closing quote. */
const idLength = idMember.length + 36 + 1;

/** The common parts of all events of one type in one stream. */
interface Common {
  readonly stream: string;
  readonly type: string;
  readonly beginning: DataPattern;
  /** The part from after the revision to the end. */
  readonly end: string;
}

export class FastCheck {
  readonly #beginnings = new Map<string, DataPattern | null>();
  #last: Common | null = null;

  /** Whether an event is filed correctly and valid for its type, and has no blobs or cited ranges. */
  isSound(event: StoredEvent): boolean {
    const common = this.#commonTo(event.stream, event.type);
    const { body, filedId, revision } = event;
    if (common === null || !body.endsWith(common.end)) return false;
    const digits = String(revision);
    // Compared in place, since concatenating the expected end would take as long as hashing.
    const atRevision = body.length - common.end.length - digits.length;
    const atPrevious = atRevision - beforeRevision.length;
    const atId = atPrevious - idLength;
    return (
      body.startsWith(digits, atRevision) &&
      body.startsWith(beforeRevision, atPrevious) &&
      isIdAt(body, atId, filedId) &&
      common.beginning.test(body.slice(0, atId))
    );
  }

  #commonTo(stream: string, type: string): Common | null {
    if (this.#last?.stream === stream && this.#last.type === type) return this.#last;
    const name = parseStream(stream);
    if (name?.category !== 'evidence' || !stageNumber.safeParse(name.stage).success) return null;
    const beginning = this.#beginningOf(type);
    if (beginning === null) return null;
    const version = versionOf(type as TypeName);
    const end = `,"run":"${name.run}","stage":${name.stage},"stream":"${stream}","type":"${type}","version":${version}}`;
    this.#last = { stream, type, beginning, end };
    return this.#last;
  }

  #beginningOf(type: string): DataPattern | null {
    return getOrCreate(this.#beginnings, type, () => dataPattern(type));
  }
}

/** Compares character by character, which is faster than formatting the id with dashes. */
function isIdAt(body: string, at: number, digits: string): boolean {
  const start = at + idMember.length;
  if (at < 0 || !body.startsWith(idMember, at) || body.charCodeAt(start + 36) !== quote) return false;
  let digit = 0;
  for (let i = 0; i < 36; i++) {
    const isDash = i === 8 || i === 13 || i === 18 || i === 23;
    if (body.charCodeAt(start + i) !== (isDash ? dash : digits.charCodeAt(digit++))) return false;
  }
  return true;
}

const quote = 0x22;
const dash = 0x2d;
