// One look over a parsed value, for what its text has to be read again for. Every event is looked at: it must cost little.

/** Deeper nesting is refused unread: canonical JSON has less, and what goes deeper into it would run out of stack. */
export const deepest = 512;

export interface Glance {
  /** In all its objects together. */
  readonly keys: number;
  /** A number so wide that not every whole number around it can be held. */
  readonly hasWideNumber: boolean;
  readonly isTooDeep: boolean;
}

export function glanceAt(value: unknown): Glance {
  const seen = { keys: 0, hasWideNumber: false, isTooDeep: false };
  look(value, 0, seen);
  return seen;
}

type Seen = { -readonly [what in keyof Glance]: Glance[what] };

function look(value: unknown, depth: number, seen: Seen): void {
  if (typeof value === 'number') {
    if (value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER) seen.hasWideNumber = true;
  } else if (typeof value === 'object' && value !== null) {
    if (depth > deepest) {
      seen.isTooDeep = true;
    } else if (Array.isArray(value)) {
      for (let i = 0; i < value.length; i++) look(value[i], depth + 1, seen);
    } else {
      for (const key in value) {
        seen.keys++;
        look((value as Readonly<Record<string, unknown>>)[key], depth + 1, seen);
      }
    }
  }
}
