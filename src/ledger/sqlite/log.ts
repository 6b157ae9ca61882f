// Reads the write-ahead log like SQLite after a crash: frame by frame, until one is invalid. SQLite silently ignores everything
// after that frame, which may include acknowledged commits. Reading changes nothing and drops no locks, since SQLite holds none on
// the log itself.
import { closeSync, openSync, readSync } from 'node:fs';

export interface LogState {
  /** Frames that SQLite will use. */
  readonly frames: number;
  /** The first invalid frame that belongs to this log; null: the log just ends. */
  readonly brokenFrame: number | null;
  /** Commits in later frames, which SQLite ignores; the broken one counts if others follow it. */
  readonly lostCommits: number;
}

const headerBytes = 32;
const frameHeaderBytes = 24;
const magics = [0x377f0682, 0x377f0683];

/**
 * Null: there is no log, or it was never used. A writer may be active, so an invalid frame is read again, and counts as broken
 * only if it is still invalid.
 */
export function readLog(path: string): LogState | null {
  const first = readOnce(path);
  if (first === null || first.brokenFrame === null) return first;
  const again = readOnce(path);
  return again?.brokenFrame === first.brokenFrame
    ? again
    : { frames: again?.frames ?? 0, brokenFrame: null, lostCommits: 0 };
}

function readOnce(path: string): LogState | null {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    // A user without read permission cannot read the ledger either, and gets the error there.
    if (['ENOENT', 'EACCES'].includes(String((error as { code?: unknown }).code))) return null;
    throw error;
  }
  try {
    return stateOf(file);
  } finally {
    closeSync(file);
  }
}

function stateOf(file: number): LogState | null {
  const header = Buffer.alloc(headerBytes);
  if (readSync(file, header, 0, headerBytes, 0) < headerBytes) return null;
  const magic = header.readUInt32BE(0);
  if (!magics.includes(magic)) return { frames: 0, brokenFrame: 0, lostCommits: 0 };
  const frame = Buffer.alloc(frameHeaderBytes + header.readUInt32BE(8));
  /** A log is overwritten from its beginning, so frames of an earlier log may follow its end. */
  const read = (number: number): boolean =>
    readSync(file, frame, 0, frame.length, headerBytes + number * frame.length) === frame.length &&
    frame.compare(header, 16, 24, 8, 16) === 0;
  const sum = new Checksum(magic === magics[1]);
  sum.add(header.subarray(0, 24));
  let number = 0;
  for (let fits = sum.equals(header, 24); fits; number++) {
    if (!read(number)) return { frames: number, brokenFrame: null, lostCommits: 0 };
    sum.add(frame.subarray(0, 8));
    sum.add(frame.subarray(frameHeaderBytes));
    fits = sum.equals(frame, 16);
    if (!fits) break;
  }
  let commits = 0;
  let next = number;
  for (; read(next); next++) if (frame.readUInt32BE(4) > 0) commits++;
  // Nothing follows a commit that was being written when the machine stopped, and it was never acknowledged.
  return { frames: number, brokenFrame: number, lostCommits: next - number > 1 ? commits : 0 };
}

/** SQLite's checksum: two sums over pairs of 32-bit words. */
class Checksum {
  readonly #isBigEndian: boolean;
  #first = 0;
  #second = 0;

  constructor(isBigEndian: boolean) {
    this.#isBigEndian = isBigEndian;
  }

  add(bytes: Buffer): void {
    for (let i = 0; i < bytes.length; i += 8) {
      this.#first = (this.#first + this.#word(bytes, i) + this.#second) >>> 0;
      this.#second = (this.#second + this.#word(bytes, i + 4) + this.#first) >>> 0;
    }
  }

  equals(stored: Buffer, at: number): boolean {
    return stored.readUInt32BE(at) === this.#first && stored.readUInt32BE(at + 4) === this.#second;
  }

  #word(bytes: Buffer, at: number): number {
    return this.#isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at);
  }
}
