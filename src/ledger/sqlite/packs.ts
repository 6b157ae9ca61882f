// The bodies of events that were appended together, compressed together. Evidence repeats itself from rollout to rollout:
// a row of its own costs about 1,200 bytes, a body in a pack about a tenth of that. The rows stay, with id, digest and
// place, so that an event is found, counted and proven as any other; only its bytes are in the pack that covers its position.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { maxEventBytes } from '../event.ts';
import { sha256 } from '../identity/ids.ts';

/** Fewer events than this in one append are stored in full: there is little to gain. */
export const fewestPacked = 32;

/** What stands in the row of an event whose body is in a pack. No event has an empty body. */
export const inPack = '';

/** A pack ends at one of these numbers, whichever comes first: reading one event unpacks all of them. */
const mostEvents = 256;
const mostWritten = 1_000_000;
/** Earlier icecores counted characters, of three bytes at most; the last event began within the limit. */
const mostBytes = 3 * mostWritten + maxEventBytes + mostEvents;
const startBytes = 1 << 19;

/** Canonical JSON contains no line ends. */
const separator = '\n';
const separatorByte = 10;

const options = { params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 } };

/** Collects the bodies of one write transaction; `flush` must come before its commit. */
export class PackWriter {
  readonly #insert: StatementSync;
  #bytes = Buffer.allocUnsafe(startBytes);
  /** Where bodies begin; a separator follows each. */
  #begins: number[] = [];
  /** Where the next one begins. */
  #end = 0;
  /** How many bytes of the next one are written. */
  #written = 0;
  #first = 0;

  constructor(db: DatabaseSync) {
    this.#insert = db.prepare('INSERT INTO packs (first, last, bodies) VALUES (?, ?, ?)');
  }

  add(position: number, body: string): void {
    this.write(body);
    this.keep(position);
  }

  /** The bytes of the next body, to be hashed before anything else is written. They are in no pack until they are kept. */
  write(body: string): Uint8Array {
    // Nobody could unpack it again.
    if (body === inPack || body.includes(separator) || isTooLarge(body))
      throw new RangeError('there is a body that no pack can have');
    this.#makeRoom(3 * body.length + 1);
    this.#written = this.#bytes.write(body, this.#end);
    return this.#bytes.subarray(this.#end, this.#end + this.#written);
  }

  /** What was written last is the body at a position. */
  keep(position: number): void {
    if (this.#begins.length > 0 && position !== this.#first + this.#begins.length) this.#flushBefore();
    if (this.#begins.length === 0) this.#first = position;
    this.#begins.push(this.#end);
    this.#end += this.#written;
    this.#bytes[this.#end++] = separatorByte;
    if (this.#begins.length >= mostEvents || this.#end >= mostWritten) this.flush();
  }

  flush(): void {
    if (this.#begins.length === 0) return;
    const packed = zstdCompressSync(this.#bytes.subarray(0, this.#end - 1), options);
    this.#insert.run(this.#first, this.#first + this.#begins.length - 1, packed);
    this.clear();
  }

  clear(): void {
    this.#begins = [];
    this.#end = 0;
  }

  /** A body that is not flushed yet. */
  pending(position: number): string | undefined {
    const index = position - this.#first;
    const begin = this.#begins[index];
    if (begin === undefined) return undefined;
    return this.#bytes.toString('utf8', begin, (this.#begins[index + 1] ?? this.#end) - 1);
  }

  /** What is written and not kept stays. */
  #flushBefore(): void {
    const written = this.#end;
    this.flush();
    this.#bytes.copyWithin(0, written, written + this.#written);
  }

  #makeRoom(bytes: number): void {
    if (this.#end + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#end + bytes));
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
  }
}

function isTooLarge(body: string): boolean {
  return body.length * 3 > maxEventBytes && Buffer.byteLength(body) > maxEventBytes;
}

interface Unpacked {
  readonly first: number;
  /** The first position that is not its own. */
  readonly end: number;
  /** Fewer than its positions where it is damaged. */
  readonly bodies: readonly string[];
}

/** Readers mostly go on to the next event; the rest jump between a few packs. */
const remembered = 4;

export class PackReader {
  readonly #db: DatabaseSync;
  #find: StatementSync | null = null;
  #recent: Unpacked[] = [];

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /**
   * The body at a position, which hashes to its event's digest; empty where there is none such: its pack is missing, damaged
   * or another, and the digest shows the damage.
   */
  bodyAt(position: number, digest: string): string {
    const body = this.#stored(position);
    return sha256(body) === digest ? body : '';
  }

  /** What was read in a transaction that was rolled back never was. */
  forget(): void {
    this.#recent = [];
  }

  #stored(position: number): string {
    let pack = this.#recent.find(({ first, end }) => position >= first && position < end);
    if (pack === undefined) {
      const found = this.#unpack(position);
      if (found === null) return '';
      this.#recent = [found, ...this.#recent.slice(0, remembered - 1)];
      pack = found;
    }
    return pack.bodies[position - pack.first] ?? '';
  }

  /** Of several packs over a position, the one that begins last counts, whichever was read before; null where it ends before. */
  #unpack(position: number): Unpacked | null {
    // Prepared when it is first needed: a ledger of the first format has no packs.
    this.#find ??= this.#db.prepare(
      `SELECT first, last, CASE WHEN last >= :position THEN bodies END AS bodies,
         (SELECT min(first) FROM packs WHERE first > :position) AS next
       FROM packs WHERE first <= :position ORDER BY first DESC LIMIT 1`,
    );
    const row = this.#find.get({ position });
    if (row === undefined || row['bodies'] === null) return null;
    const [first, last] = [Number(row['first']), Number(row['last'])];
    const end = Math.min(last + 1, Number(row['next'] ?? Number.POSITIVE_INFINITY));
    return { first, end, bodies: unpack(row['bodies'] as Uint8Array, last - first + 1) };
  }
}

/** None where the bytes are not a pack of that number. */
function unpack(packed: Uint8Array, count: number): readonly string[] {
  try {
    const bodies = zstdDecompressSync(packed, { maxOutputLength: mostBytes, chunkSize: startBytes })
      .toString('utf8')
      .split(separator);
    return bodies.length === count ? bodies : [];
  } catch {
    return [];
  }
}
