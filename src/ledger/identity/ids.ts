// Ids of runs (random), of events that icecore makes (a UUIDv8 of run, stage, kind and index), and digests of texts (SHA-256).
//
// The layout of an event's id, RFC 9562 version 8, keeps the events of one run, stage and kind together, so that an index over
// ids is written at one place at a time:
//   rrrrrrrr-rrrr-8rrr-vsss-kkiiiiiiiiii
//   r 60 bits of run, s 14 bits of stage (two of them next to the variant), k 8 bits of kind, i 40 bits of index
import { hash, randomBytes } from 'node:crypto';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const own = /^[0-9a-hjkmnp-tv-z]{12}$/;
const widestStage = 0x3fff;
const widestKind = 0xff;
const widestIndex = 2 ** 40 - 1;

/** The SHA-256 of a text in UTF-8 or of bytes, in hexadecimal. */
export function sha256(bytes: string | Uint8Array): string {
  return hash('sha256', bytes);
}

/** The id of a new run, ablation or ledger: 60 random bits as 12 characters of Crockford's base 32. */
export function newRunId(): string {
  let text = '';
  for (const byte of randomBytes(12)) text += alphabet[byte & 31];
  return text;
}

/** An id derived from its parts: equal parts give the same id. */
export function runIdFrom(parts: readonly string[]): string {
  let bits = BigInt(`0x${sha256(JSON.stringify(parts)).slice(0, 15)}`);
  let text = '';
  for (let i = 0; i < 12; i++) {
    text = `${alphabet[Number(bits & 31n)]}${text}`;
    bits >>= 5n;
  }
  return text;
}

/** The 60 bits of a run as 15 hexadecimal digits; a run id of another program is hashed. */
function runDigits(run: string): string {
  if (!own.test(run)) return sha256(run).slice(0, 15);
  let bits = 0n;
  for (const character of run) bits = (bits << 5n) | BigInt(alphabet.indexOf(character));
  return bits.toString(16).padStart(15, '0');
}

/** The values from which the id of an event is computed; equal values give the same id. */
export interface IdOf {
  readonly run: string;
  /** 0 means no stage. */
  readonly stage: number;
  /** The code of the event type in the catalogue. */
  readonly kind: number;
  readonly index: number;
}

/** A function for the ids of one run, stage and kind; the fast way to make many. */
export function eventIds(of: Omit<IdOf, 'index'>): (index: number) => string {
  within('stage', of.stage, widestStage);
  within('kind', of.kind, widestKind);
  const run = runDigits(of.run);
  const variantAndStage = (0x8000 | of.stage).toString(16);
  const kind = of.kind.toString(16).padStart(2, '0');
  const prefix = `${run.slice(0, 8)}-${run.slice(8, 12)}-8${run.slice(12)}-${variantAndStage}-${kind}`;
  return (index) => {
    within('index', index, widestIndex);
    return prefix + index.toString(16).padStart(10, '0');
  };
}

/** The index within an id of icecore. */
export function indexOfId(id: string): number {
  return Number.parseInt(id.slice(-10), 16);
}

/** The id of one event; `eventIds` is faster for many. Throws RangeError if a number does not fit. */
export function eventId(of: IdOf): string {
  return eventIds(of)(of.index);
}

function within(what: string, value: number, widest: number): void {
  if (Number.isInteger(value) && value >= 0 && value <= widest) return;
  throw new RangeError(`the ${what} of an id must be a whole number from 0 to ${widest}, found ${value}`);
}
