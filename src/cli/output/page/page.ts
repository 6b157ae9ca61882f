// What a command says, as a page of few kinds of parts: a terminal, Markdown and HTML draw the same ones.

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
  | { readonly kind: 'list'; readonly items: readonly string[]; readonly tone?: 'plain' | 'warning' }
  /** To be typed as it stands. */
  | { readonly kind: 'code'; readonly text: string }
  /**
   * `repeats`: columns too many for a line go into another table that begins with the first one again. `drawn`: the name of
   * what is drawn in its place where there is something to draw on. `legend`: how to read it, where it is not drawn.
   */
  | {
      readonly kind: 'table';
      readonly columns: readonly Column[];
      readonly repeats?: true;
      readonly drawn?: string;
      readonly legend?: string;
    };

export interface Page {
  readonly title: string;
  readonly sections: readonly (readonly Part[])[];
}

export interface TableHow {
  readonly repeats?: true;
  readonly drawn?: string;
  readonly legend?: string;
}

/** Without columns of which nothing is known. */
export function table(columns: readonly Column[], how: TableHow = {}): Part {
  return { kind: 'table', columns: columns.filter(({ cells }) => cells.some((cell) => cell !== '')), ...how };
}

export function note(text: string): Part {
  return { kind: 'text', text, tone: 'quiet' };
}

/** Between two tables. */
export const gap: Part = { kind: 'text', text: '', tone: 'plain' };

/** A name longer than that is cut on a terminal. */
export const longestName = 24;
