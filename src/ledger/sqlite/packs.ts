// Packs: the bodies of events that were appended together, compressed together. Evidence is repetitive: an event takes about 1,200
// bytes in a row of its own, and about a tenth of that in a pack. The rows keep id, digest and place, so that an event is found,
// counted and proven like any other; only its bytes are in the pack that covers its position.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { maxEventBytes } from '../event.ts';
import { sha256 } from '../identity/ids.ts';

/** Smaller appends are stored uncompressed, since there is little to gain. */
export const fewestPacked = 32;

/** The body in the row of an event whose bytes are in a pack. No event has an empty body. */
export const inPack = '';

/** A pack ends at one of these limits, whichever comes first, since reading one event unpacks all of them. */
const mostEvents = 256;
const mostWritten = 1_000_000;
/** Earlier versions counted characters, of at most three bytes; the last event began within the limit. */
const mostBytes = 3 * mostWritten + maxEventBytes + mostEvents;
const startBytes = 1 << 19;

/** Canonical JSON contains no line ends. */
const separator = '\n';
const separatorByte = 10;

const options = { params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 } };

/** Collects the bodies of one write transaction; `flush` must be called before its commit. */
export class PackWriter {
  readonly #insert: StatementSync;
  #bytes = Buffer.allocUnsafe(startBytes);
  /** Where bodies begin; a separator follows each. */
  #begins: number[] = [];
  /** Where the next body begins. */
  #end = 0;
  /** The number of written bytes of the next body. */
  #written = 0;
  #first = 0;

  constructor(db: DatabaseSync) {
    this.#insert = db.prepare('INSERT INTO packs (first, last, bodies) VALUES (?, ?, ?)');
  }

  add(position: number, body: string): void {
    this.write(body);
    this.keep(position);
  }

  /** Adds the bytes of the next body, to be hashed before anything else is written. They are in no pack until they are kept. */
  write(body: string): Uint8Array {
    // It could never be unpacked.
    if (body === inPack || body.includes(separator) || isTooLarge(body))
      throw new RangeError('a body is too large for a pack');
    this.#makeRoom(3 * body.length + 1);
    this.#written = this.#bytes.write(body, this.#end);
    return this.#bytes.subarray(this.#end, this.#end + this.#written);
  }

  /** Keeps the last written body for a position. */
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

  /** Written bytes that are not kept stay pending. */
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
  /** The first position after it. */
  readonly end: number;
  /** Fewer than its positions if it is damaged. */
  readonly bodies: readonly string[];
}

/** Readers usually continue with the next event; the others alternate between a few packs. */
const remembered = 4;

export class PackReader {
  readonly #db: DatabaseSync;
  #find: StatementSync | null = null;
  #recent: Unpacked[] = [];

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /**
   * The body at a position, which matches its event's digest; empty if there is none: its pack is missing, damaged or replaced, and
   * the digest reveals the damage.
   */
  bodyAt(position: number, digest: string): string {
    const body = this.#stored(position);
    return sha256(body) === digest ? body : '';
  }

  /** Forgets packs that were read in a rolled-back transaction. */
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

  /** If several packs cover a position, the one that begins last counts, whichever was read before; null if it ends before. */
  #unpack(position: number): Unpacked | null {
    // Prepared on first use, since a ledger of the first format has no packs.
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

/** Empty if the bytes are not a pack of that many bodies. */
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
