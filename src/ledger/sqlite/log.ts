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
    // Whoever may not read it cannot read the ledger either, and learns it there.
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
  /** A log is written over from its beginning, so that frames of an earlier one may follow its end. */
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
  // Of a commit that was being written when the machine stopped, nothing follows: no caller was told that it is stored.
  return { frames: number, brokenFrame: number, lostCommits: next - number > 1 ? commits : 0 };
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
