// What was asked before, kept in a file that only its owner can read: one entry a line, as a JSON string, so that a
// statement of many lines is one entry. It is only ever appended to, by whole lines: prompts side by side add theirs, and
// none takes away what another wrote. Whoever opens it reads the newest part.
import { appendFileSync, closeSync, fchmodSync, fstatSync, openSync, readSync } from 'node:fs';
import { parseJson } from '../../../../schemas/json-text.ts';

export interface History {
  /** Oldest first. */
  readonly entries: readonly string[];
  /** Kept before the statement runs, so that it is there after a crash. Throws what the file system does. */
  add(entry: string): void;
}

const ownerOnly = 0o600;
const readMost = 1024 * 1024;

/** Without a file, or where it cannot be read, it begins empty. */
export function openHistory(path: string | null): History {
  const { entries, isTorn } = path === null ? { entries: [], isTorn: false } : stored(path);
  let needsBreak = isTorn;
  return {
    entries,
    add(entry) {
      if (entry === entries.at(-1)) return;
      entries.push(entry);
      if (path === null) return;
      append(path, `${needsBreak ? '\n' : ''}${JSON.stringify(entry)}\n`);
      needsBreak = false;
    },
  };
}

function append(path: string, line: string): void {
  const file = openSync(path, 'a', ownerOnly);
  try {
    if ((fstatSync(file).mode & 0o077) !== 0) fchmodSync(file, ownerOnly);
    appendFileSync(file, line);
  } finally {
    closeSync(file);
  }
}

function stored(path: string): { entries: string[]; isTorn: boolean } {
  const text = newest(path);
  const entries: string[] = [];
  for (const line of text.split('\n')) {
    const entry = entryOf(line);
    if (entry !== null && entry !== entries.at(-1)) entries.push(entry);
  }
  return { entries, isTorn: text !== '' && !text.endsWith('\n') };
}

/** Null for a line that was torn by a crash, or cut off where reading began. */
function entryOf(line: string): string | null {
  try {
    const entry: unknown = parseJson(line);
    return typeof entry === 'string' && entry !== '' ? entry : null;
  } catch {
    return null;
  }
}

function newest(path: string): string {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return '';
  }
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.alloc(Math.min(size, readMost));
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, size - bytes.length));
  } catch {
    return '';
  } finally {
    closeSync(file);
  }
}
