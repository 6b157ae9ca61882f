// The story of a stage as an outline: lines with what hangs on them. A terminal draws it as a tree, Markdown as lists.

export type Tone = 'plain' | 'strong' | 'quiet' | 'warning';

export interface Line {
  readonly text: string;
  readonly tone: Tone;
  /** Drawn, and never filled anew: several lines, as they are. */
  readonly isDrawn?: true;
}

export interface Branch {
  /** The first is what the branch is about. */
  readonly lines: readonly Line[];
  readonly branches: readonly Branch[];
}

export interface Part {
  /** Empty where it needs none. */
  readonly title: string;
  readonly lines: readonly Line[];
  readonly branches: readonly Branch[];
}

export interface Outline {
  readonly title: string;
  readonly state: string;
  readonly parts: readonly Part[];
}

export function line(text: string, tone: Tone = 'plain'): Line {
  return { text, tone };
}

export function leaf(text: string, tone: Tone = 'plain'): Branch {
  return { lines: [line(text, tone)], branches: [] };
}

/** None where there is no text. */
export function perhaps(text: string | null, tone: Tone = 'plain'): readonly Line[] {
  return text === null || text === '' ? [] : [line(text, tone)];
}
