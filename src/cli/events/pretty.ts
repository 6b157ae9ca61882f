// Data as people read it: JSON by lines, coloured, with keys bare, short lists and objects on one line, and long texts
// shortened with their size beside.

import type { Paint } from '../output/paint.ts';
import { size } from '../output/quantity.ts';
import { visible, visibleLines } from '../output/visible.ts';

const lineWidth = 100;
const longestText = 400;
const mostLines = 12;

export interface Pretty {
  readonly text: string;
  readonly isShortened: boolean;
}

export function prettyData(data: unknown, paint: Paint): Pretty {
  const printer = new Printer(paint);
  const text = printer.print(data, '  ');
  return { text: `  ${text}`, isShortened: printer.isShortened };
}

class Printer {
  readonly #paint: Paint;
  isShortened = false;

  constructor(paint: Paint) {
    this.#paint = paint;
  }

  print(value: unknown, indent: string): string {
    if (typeof value === 'string') return this.#string(value, indent);
    if (typeof value !== 'object' || value === null) return this.#paint.yellow(String(value));
    const flat = flatText(value);
    if (flat !== null && flat.length + indent.length <= lineWidth) return this.#flat(value);
    const below = `${indent}  `;
    const members = Array.isArray(value)
      ? value.map((item) => `${below}${this.print(item, below)}`)
      : Object.entries(value).map(([key, member]) => `${below}${this.#key(key)}: ${this.print(member, below)}`);
    const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
    return `${open}\n${members.join('\n')}\n${indent}${close}`;
  }

  #flat(value: object): string {
    if (Array.isArray(value)) return `[${value.map((item) => this.print(item, '')).join(', ')}]`;
    const members = Object.entries(value).map(([key, member]) => `${this.#key(key)}: ${this.print(member, '')}`);
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  }

  #key(key: string): string {
    return this.#paint.blue(/^[\w.-]+$/.test(key) ? key : visible(JSON.stringify(key)));
  }

  /** A text of one line in quotes; one of several lines as a block. */
  #string(text: string, indent: string): string {
    if (!text.includes('\n') && text.length <= longestText) return this.#paint.green(visible(JSON.stringify(text)));
    const lines = visibleLines(text.slice(0, longestText * 4)).split('\n');
    const kept = lines
      .slice(0, mostLines)
      .map((line) => (line.length > longestText ? `${line.slice(0, longestText)}` : line));
    const whole = kept.join('\n').length >= visibleLines(text).length;
    if (!whole) this.isShortened = true;
    const mark = whole ? '' : `\n${indent}  ${this.#paint.dim(`… ${size(Buffer.byteLength(text))} in all`)}`;
    return `|\n${kept.map((line) => `${indent}  ${this.#paint.green(line)}`).join('\n')}${mark}`;
  }
}

/** The value on one line, or null where it holds what needs several. */
function flatText(value: object): string | null {
  const text = JSON.stringify(value);
  return text.length > lineWidth || text.includes('\\n') ? null : text;
}
