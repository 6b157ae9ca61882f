// Reads a bundle from its beginning to its end into a place of its own. Members must come as the list names them, with the
// very headers that icecore writes; whatever else a tar can hold is refused by that.
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import type { BundleManifest, BundleMember } from '../../../../schemas/bundle.ts';
import { BundleRefused, BundleTooLarge, NoBundle } from './errors.ts';
import { listName, longestLine, longestManifest, manifestName, readManifest, readMember } from './manifest.ts';
import { type Taken, unsealed } from './sealed-file.ts';
import type { Staging } from './staging.ts';
import { endOfTar, headerBytes, headerOf, paddingAfter, sizeIn } from './tar.ts';

interface UnpackOptions {
  readonly signal?: AbortSignal;
  /** How many bytes of members are there, and will be. */
  readonly onProgress?: (done: number, of: number) => Promise<void>;
}

export interface Unpacked {
  readonly manifest: BundleManifest;
  readonly file: { readonly bytes: number; readonly sha256: string };
}

/** Throws NoBundle, NewerBundle, BundleTooLarge, BundleRefused. */
export async function unpack(
  file: AsyncIterable<Uint8Array>,
  { staging, folder }: { readonly staging: Staging; readonly folder: string },
  options: UnpackOptions = {},
): Promise<Unpacked> {
  const taken: Taken = { bytes: 0, sha256: null };
  const pieces = new Pieces(unsealed(file, taken));
  try {
    const reading = new Unpacking(pieces, taken, staging, options);
    const manifest = await reading.manifest();
    await requireRoom(folder, manifest);
    const list = join(folder, listName);
    await reading.list(manifest, list);
    await reading.members(manifest, list);
    await staging.finish();
    return { manifest, file: { bytes: taken.bytes, sha256: taken.sha256 ?? '' } };
  } finally {
    await pieces.stop();
  }
}

class Unpacking {
  readonly #pieces: Pieces;
  readonly #taken: Taken;
  readonly #staging: Staging;
  readonly #options: UnpackOptions;

  constructor(pieces: Pieces, taken: Taken, staging: Staging, options: UnpackOptions) {
    this.#pieces = pieces;
    this.#taken = taken;
    this.#staging = staging;
    this.#options = options;
  }

  async manifest(): Promise<BundleManifest> {
    const header = await this.#pieces.exactly(headerBytes, manifestName);
    const bytes = sizeIn(header);
    if (bytes === null || !header.equals(headerOf(manifestName, bytes)))
      throw new NoBundle('its first member is another');
    if (bytes > longestManifest)
      throw new BundleRefused(manifestName, `it has ${bytes} bytes, at most ${longestManifest} are allowed`);
    const text = await this.#pieces.exactly(bytes, manifestName);
    await this.#padding(manifestName, bytes);
    return readManifest(text.toString('utf8'));
  }

  /** Puts the list into a file: it may be long. */
  async list({ members: { count, listBytes, sha256 } }: BundleManifest, path: string): Promise<void> {
    if (listBytes > count * longestLine)
      throw new BundleRefused(listName, `it has ${listBytes} bytes, too many to name ${count} members`);
    await this.#header(listName, listBytes);
    const hash = createHash('sha256');
    const pieces = inShortLines(this.#sensible(this.#pieces.some(listBytes, listName)));
    async function* hashed(): AsyncGenerator<Uint8Array> {
      for await (const piece of pieces) {
        hash.update(piece);
        yield piece;
      }
    }
    await pipeline(hashed(), createWriteStream(path));
    const found = hash.digest('hex');
    if (found !== sha256) throw new BundleRefused(listName, `its bytes hash to ${found}, the manifest says ${sha256}`);
    await this.#padding(listName, listBytes);
  }

  async members({ members: { count, bytes: of } }: BundleManifest, list: string): Promise<void> {
    let [seen, done] = [0, 0];
    for await (const member of membersIn(list)) {
      seen++;
      done += member.bytes;
      if (seen > count || done > of) throw new BundleRefused(listName, 'it names more than the manifest says');
      await this.#member(member);
      await this.#options.onProgress?.(done, of);
      this.#options.signal?.throwIfAborted();
    }
    if (seen < count || done < of) throw new BundleRefused(listName, 'it names less than the manifest says');
    const end = await this.#pieces.exactly(endOfTar.length, 'the file');
    if (!end.equals(endOfTar)) throw new BundleRefused('the file', 'it holds a member that its list does not name');
    await this.#pieces.end();
  }

  async #member(member: BundleMember): Promise<void> {
    const { name, bytes } = member;
    await this.#header(name, bytes);
    const pieces = this.#pieces.some(bytes, name);
    await this.#staging.take(member, this.#sensible(pieces));
    await this.#padding(name, bytes);
  }

  async #header(name: string, bytes: number): Promise<void> {
    const header = await this.#pieces.exactly(headerBytes, name);
    if (header.equals(headerOf(name, bytes))) return;
    throw new BundleRefused(name, `it should come here with ${bytes} bytes, and ${foundIn(header)}`);
  }

  async #padding(name: string, bytes: number): Promise<void> {
    const padding = await this.#pieces.exactly(paddingAfter(bytes), name);
    if (padding.some((byte) => byte !== 0)) throw new BundleRefused(name, 'there are bytes after its end');
  }

  /** A file of a few bytes must not fill a disk. */
  async *#sensible(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      requireSensible(this.#pieces.taken, this.#taken.bytes);
      yield piece;
    }
  }
}

/** The list is read line by line later: a line without an end would be held as a whole. Throws BundleRefused. */
async function* inShortLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let begun = 0;
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      const end = piece.indexOf(lineEnd, at);
      const next = end < 0 ? piece.length : end + 1;
      begun += next - at;
      if (begun > longestLine)
        throw new BundleRefused(listName, `it has a line of more than the ${longestLine} bytes that are allowed`);
      if (end >= 0) begun = 0;
      at = next;
    }
    yield piece;
  }
}

const lineEnd = 0x0a;

async function* membersIn(list: string): AsyncGenerator<BundleMember> {
  let before = '';
  const stream = createReadStream(list);
  try {
    for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
      const member = readMember(line, before);
      before = member.name;
      yield member;
    }
  } finally {
    stream.destroy();
  }
}

function foundIn(header: Buffer): string {
  if (header.every((byte) => byte === 0)) return 'the bundle ends there';
  const name = header.toString('latin1', 0, 100).replace(/\0.*$/s, '');
  return `there is ${JSON.stringify(name.slice(0, 80))}${sizeIn(header) === null ? '' : ` with ${sizeIn(header)}`}`;
}

/** JSON is packed to a tenth or a thirtieth; what is a thousand times its packed size was made to be. */
const mostTimes = 1000;
const freeBytes = 16 * 1024 * 1024;

function requireSensible(unpacked: number, packed: number): void {
  if (unpacked <= packed * mostTimes + freeBytes) return;
  throw new BundleTooLarge(
    `it is more than ${mostTimes} times as large as its file`,
    { unpacked, packed },
    'Nothing was imported. No run of icecore packs so well.',
  );
}

async function requireRoom(folder: string, { members }: BundleManifest): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const needed = members.bytes + members.listBytes;
  if (needed <= free) return;
  throw new BundleTooLarge(
    `it says that it unpacks to ${needed} bytes, and ${folder} has room for ${free}`,
    { needed, free, folder },
    'Nothing was imported. Make room, or import into a ledger on another disk.',
  );
}

/** Bytes that come in pieces of any length, taken in the lengths that are wanted. */
class Pieces {
  readonly #source: AsyncIterator<Uint8Array>;
  #held: Buffer = Buffer.alloc(0);
  /** How many were taken in so far. */
  taken = 0;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** As one. Throws BundleRefused where there are fewer. */
  async exactly(bytes: number, of: string): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    for await (const piece of this.some(bytes, of)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /** As they come. Throws BundleRefused where there are fewer. */
  async *some(bytes: number, of: string): AsyncGenerator<Uint8Array> {
    for (let left = bytes; left > 0; ) {
      if (this.#held.length === 0 && !(await this.#more())) throw new BundleRefused(of, 'it is cut off');
      const piece = this.#held.subarray(0, left);
      this.#held = this.#held.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }

  /** Throws BundleRefused if something is left; the source is read to its end. */
  async end(): Promise<void> {
    while (this.#held.length === 0) if (!(await this.#more())) return;
    throw new BundleRefused('the file', 'there are bytes after its end');
  }

  async stop(): Promise<void> {
    await this.#source.return?.();
  }

  async #more(): Promise<boolean> {
    const next = await this.#source.next();
    if (next.done === true) return false;
    this.#held = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
    this.taken += this.#held.length;
    return true;
  }
}
