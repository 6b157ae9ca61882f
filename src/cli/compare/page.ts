// A comparison as a page of few kinds of parts: a terminal and Markdown draw the same ones.

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  readonly cells: readonly string[];
  /** How it is coloured on a terminal. */
  readonly paint?: (text: string) => string;
  /** On a terminal: cut to so many columns. */
  readonly most?: number;
  /** The last column: goes on in lines below. */
  readonly wraps?: true;
}

export type Part =
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string; readonly tone: 'plain' | 'quiet' | 'warning' }
  /** `repeats`: columns too many for a line go into another table that begins with the first one again. */
  | { readonly kind: 'table'; readonly columns: readonly Column[]; readonly repeats?: true };

export interface Page {
  readonly title: string;
  readonly sections: readonly (readonly Part[])[];
}

/** Without columns of which nothing is known. */
export function table(columns: readonly Column[], repeats = false): Part {
  const shown = columns.filter(({ cells }) => cells.some((cell) => cell !== ''));
  return { kind: 'table', columns: shown, ...(repeats ? { repeats: true } : {}) };
}

export function note(text: string): Part {
  return { kind: 'text', text, tone: 'quiet' };
}

/** Between two tables. */
export const gap: Part = { kind: 'text', text: '', tone: 'plain' };

/** A name longer than that is cut on a terminal. */
export const longestName = 24;
