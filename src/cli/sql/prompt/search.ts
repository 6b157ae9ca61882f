// Ctrl-R: the newest statement that has in it what is typed; again, the next older one.
import type { Text } from './text.ts';

export interface Found extends Text {
  /** Which of the entries. */
  readonly entry: number;
}

export function found(entries: readonly string[], wanted: string, before: number): Found | null {
  const low = wanted.toLowerCase();
  for (let entry = Math.min(before, entries.length) - 1; entry >= 0; entry--) {
    const text = entries[entry] ?? '';
    const at = text.toLowerCase().indexOf(low);
    if (at >= 0) return { entry, text, at };
  }
  return null;
}
