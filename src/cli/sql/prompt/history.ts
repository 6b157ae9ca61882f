// Earlier statements, in a file that only its owner can read: one entry per line, as a JSON string, so that a statement of many lines
// is one entry. Whole lines are appended, so that several prompts can share it. Only the newest part is read.
import { appendFileSync, closeSync, fchmodSync, fstatSync, openSync, readSync } from 'node:fs';
import { parseJson } from '../../../../schemas/json-text.ts';

export interface History {
  /** Oldest first. */
  readonly entries: readonly string[];
  /** Records the entry before the statement runs, so that it survives a crash. Throws errors of the file system. */
  add(entry: string): void;
}

const ownerOnly = 0o600;
const readMost = 1024 * 1024;

/** It starts empty without a file, or if the file cannot be read. */
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

/** Null for a line that a crash tore, or that starts before the part that is read. */
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
