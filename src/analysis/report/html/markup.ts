// HTML as values: a text is a text and becomes markup by no way but this, so that nothing that was recorded can be more than
// text in a page.
import { visibleLines } from '../../../base/visible.ts';

export class Markup {
  readonly html: string;

  /** What is trusted is of icecore's own making: its style, and drawings that were escaped where they were made. */
  constructor(trusted: string) {
    this.html = trusted;
  }
}

export type Child = string | Markup | null | readonly Child[];
export type Attributes = Readonly<Record<string, string | number | null>>;

const empty = ['meta', 'link', 'br', 'hr'];

export function h(tag: string, attributes: Attributes, ...children: readonly Child[]): Markup {
  const words = Object.entries(attributes).flatMap(([name, value]) =>
    value === null ? [] : [` ${name}="${escaped(String(value))}"`],
  );
  const open = `<${tag}${words.join('')}>`;
  return new Markup(empty.includes(tag) ? open : `${open}${inside(children)}</${tag}>`);
}

function inside(child: Child): string {
  if (child === null) return '';
  if (typeof child === 'string') return escaped(child);
  return child instanceof Markup ? child.html : child.map(inside).join('');
}

/** What steers a reader, unseen or from right to left, is shown as an escape, as in a terminal. */
function escaped(text: string): string {
  return visibleLines(text).replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}
