// The write-ahead log read as SQLite reads it after a crash: frame by frame, until one does not fit. What lies behind that
// one SQLite passes over in silence; a commit that was acknowledged may be among it. Reading changes nothing, and takes no
// lock away: SQLite holds none on the log itself.
import { closeSync, openSync, readSync } from 'node:fs';

export interface LogState {
  /** Frames that SQLite will use. */
  readonly frames: number;
  /** The first frame that does not fit, though it was written with the others; null where the log just ends. */
  readonly brokenFrame: number | null;
  /** Commits among the frames behind it, which SQLite passes over; the broken one counts where others follow it. */
  readonly lostCommits: number;
}

const headerBytes = 32;
const frameHeaderBytes = 24;
const magics = [0x377f0682, 0x377f0683];

/**
 * Null where there is no log, or one that was never used. A writer may be at work: what does not fit is looked at again,
 * and is broken only when it does not fit then either.
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
    // Whoever may not read it cannot read the ledger either, and is told so there.
    if (['ENOENT', 'EACCES'].includes(String((error as { code?: unknown }).code))) return null;
    throw error;
  }
  try {
    return new LogReader(file).state();
  } finally {
    closeSync(file);
  }
}

class LogReader {
  readonly #file: number;
  readonly #header = Buffer.alloc(headerBytes);

  constructor(file: number) {
    this.#file = file;
  }

  state(): LogState | null {
    if (readSync(this.#file, this.#header, 0, headerBytes, 0) < headerBytes) return null;
    const magic = this.#header.readUInt32BE(0);
    if (!magics.includes(magic)) return { frames: 0, brokenFrame: 0, lostCommits: 0 };
    const sum = new Checksum(magic === magics[1]);
    sum.add(this.#header.subarray(0, 24));
    if (!sum.equals(this.#header, 24)) return this.#broken(0, this.#header.readUInt32BE(8));
    return this.#frames(sum, this.#header.readUInt32BE(8));
  }

  #frames(sum: Checksum, pageBytes: number): LogState {
    const frame = Buffer.alloc(frameHeaderBytes + pageBytes);
    for (let number = 0; ; number++) {
      if (!this.#read(frame, number, pageBytes) || !this.#isOfThisLog(frame)) {
        return { frames: number, brokenFrame: null, lostCommits: 0 };
      }
      sum.add(frame.subarray(0, 8));
      sum.add(frame.subarray(frameHeaderBytes));
      if (!sum.equals(frame, 16)) return this.#broken(number, pageBytes);
    }
  }

  /** Of a commit that was being written when the machine stopped, nothing follows: nobody was told that it is stored. */
  #broken(number: number, pageBytes: number): LogState {
    const frame = Buffer.alloc(frameHeaderBytes + pageBytes);
    let commits = 0;
    let following = 0;
    for (let next = number; this.#read(frame, next, pageBytes) && this.#isOfThisLog(frame); next++) {
      if (frame.readUInt32BE(4) > 0) commits++;
      following = next - number;
    }
    return { frames: number, brokenFrame: number, lostCommits: following === 0 ? 0 : commits };
  }

  #read(frame: Buffer, number: number, pageBytes: number): boolean {
    const at = headerBytes + number * (frameHeaderBytes + pageBytes);
    return readSync(this.#file, frame, 0, frame.length, at) === frame.length;
  }

  /** A log is written over from its beginning, so frames of an earlier one may lie behind its end. */
  #isOfThisLog(frame: Buffer): boolean {
    return frame.compare(this.#header, 16, 24, 8, 16) === 0;
  }
}

/** SQLite's own: two sums over pairs of 32-bit words. */
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
