// What a stored event says of its own place, read from the end of its canonical JSON without parsing its data: members
// stand in the order of their names, so these come last, and none of them can hold what would pass for another.
import { isCanonicalText } from '../../schemas/canonical-text.ts';
import { parseJson } from '../../schemas/json-text.ts';
import { DamagedEvent } from './errors.ts';
import { isMoment, uuidOf } from './filed.ts';
import { maxEventBytes } from './limits.ts';
import type { StoredEvent } from './stored.ts';

/** The members behind `data`. */
export interface Skimmed {
  readonly id: string;
  readonly previous: string | null;
  readonly revision: number;
  readonly run: string | null;
  readonly stage: number | null;
  readonly stream: string;
  readonly type: string;
  readonly version: number;
}

const last = ',"previous":';
const idMember = ',"id":"';
const idLength = 36;

/** Null when the text is not the body of an event. */
export function skimBody(body: string): Skimmed | null {
  const from = body.lastIndexOf(last) - idMember.length - idLength - 1;
  if (from < 0 || !body.startsWith(idMember, from)) return null;
  try {
    return parseJson(`{${body.slice(from + 1)}`) as Skimmed;
  } catch {
    return null;
  }
}

/** The first thing that is wrong with an event taken for itself; null when it is what it says and is filed as that. */
export function damageOf(event: StoredEvent, own: Skimmed | null): string | null {
  if (event.hashed !== event.digest) return `its bytes hash to ${event.hashed}, its digest says ${event.digest}`;
  if (own === null) return 'its bytes are not an event';
  const [first] = [...impossibilities(event), ...misfilings(event, own)];
  if (first !== undefined) return first;
  // Members may come twice or in another order, so that what was read at the end of the text is not what it says as a whole.
  return isCanonicalText(event.body) ? null : 'its bytes are not canonical JSON';
}

/** What no icecore stores of an event, whatever its digest says. */
export function* impossibilities({ body, recordedMs }: StoredEvent): Generator<string> {
  // No character has more than three bytes.
  const bytes = body.length * 3 > maxEventBytes ? Buffer.byteLength(body) : 0;
  if (bytes > maxEventBytes) yield `it has ${bytes} bytes, at most ${maxEventBytes} are allowed`;
  if (!isMoment(recordedMs)) yield `it was recorded ${recordedMs} ms after 1970, which is no moment`;
}

type Own = Pick<Skimmed, 'id' | 'revision' | 'stream' | 'type'>;

/** In what an event is filed as something else than its bytes say it is. These may say anything. */
export function* misfilings(event: StoredEvent, { id, revision, stream, type }: Own): Generator<string> {
  if (stream !== event.stream) yield `its bytes say stream ${stream}`;
  if (revision !== event.revision) yield `its bytes say revision ${revision}`;
  if (type !== event.type) yield `its bytes say type ${type}, it is filed as ${event.type}`;
  if (String(id).replaceAll('-', '') !== event.filedId) yield `its bytes say id ${id}, it is filed as ${uuidOf(event)}`;
}

/** Throws DamagedEvent where something is wrong. */
export function skim(event: StoredEvent): Skimmed {
  const own = skimBody(event.body);
  const damage = damageOf(event, own);
  if (damage !== null || own === null) throw new DamagedEvent(event.stream, event.revision, damage ?? 'unreadable');
  return own;
}
