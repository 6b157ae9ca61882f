// What a report says, in order and in words, before anybody has decided how it looks: HTML and Markdown are both made from
// this, and so say the same.
import type { Chart, Table } from '../../../web/charts/chart.ts';

/** A piece of a sentence. A bare text means itself, whatever marks are in it. */
export type Inline = string | { readonly as: 'strong' | 'code' | 'soft' | 'warning' | 'good'; readonly text: string };

export type Words = readonly Inline[];

/** A knob that was turned, or several for one reason. */
export interface ChangeRow {
  readonly change: readonly Words[];
  readonly reason: readonly Words[];
  readonly evidence: readonly Words[];
  /** What its family did then, whatever made it. */
  readonly afterwards: readonly Words[];
}

export interface Figure {
  readonly name: string;
  readonly value: string;
  readonly says: string;
}

export interface Drawn {
  readonly title: Words;
  readonly says: string | null;
  readonly drawing: string;
  readonly from: string;
}

export type Block =
  | { readonly kind: 'text'; readonly words: Words }
  | { readonly kind: 'quote'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly Words[] }
  | { readonly kind: 'warnings'; readonly items: readonly Words[] }
  | { readonly kind: 'facts'; readonly rows: readonly (readonly [term: string, words: Words])[] }
  | { readonly kind: 'figures'; readonly figures: readonly Figure[] }
  | { readonly kind: 'changes'; readonly rows: readonly ChangeRow[] }
  /** `wraps`: its last column is prose. */
  | {
      readonly kind: 'table';
      readonly table: Table;
      readonly caption: string;
      readonly isFolded: boolean;
      readonly wraps?: true;
    }
  | { readonly kind: 'drawings'; readonly drawings: readonly Drawn[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'charts'; readonly charts: readonly Chart[] };

export interface Section {
  /** For links within the page. */
  readonly id: string;
  readonly title: string;
  readonly blocks: readonly Block[];
  readonly sections: readonly Section[];
}

export interface ReportDocument {
  /** The identity of the run. */
  readonly run: string;
  readonly title: string;
  readonly subtitle: string;
  /** The version of icecore, and when. */
  readonly made: string;
  readonly blocks: readonly Block[];
  readonly sections: readonly Section[];
}

export function strong(text: string): Inline {
  return { as: 'strong', text };
}

export function code(text: string): Inline {
  return { as: 'code', text };
}

export function soft(text: string): Inline {
  return { as: 'soft', text };
}

export function warning(text: string): Inline {
  return { as: 'warning', text };
}

export function paragraph(...words: Words): Block {
  return { kind: 'text', words };
}
