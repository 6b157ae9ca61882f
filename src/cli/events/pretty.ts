// Data as people read it: JSON by lines, coloured, with keys bare, short lists and objects on one line, and long texts
// shortened with their size beside.
import type { Paint } from '../output/paint.ts';
import { size } from '../output/quantity.ts';
import { visible, visibleLines } from '../output/visible.ts';
import { displayWidth } from '../output/width.ts';

const longestText = 400;
const mostLines = 12;

export interface Pretty {
  readonly text: string;
  readonly isShortened: boolean;
}

export function prettyData(data: unknown, paint: Paint, width: number): Pretty {
  const printer = new Printer(paint, width);
  const text = printer.print(data, '  ');
  return { text: `  ${text}`, isShortened: printer.isShortened };
}

class Printer {
  readonly #paint: Paint;
  readonly #width: number;
  isShortened = false;

  constructor(paint: Paint, width: number) {
    this.#paint = paint;
    this.#width = width;
  }

  print(value: unknown, indent: string): string {
    if (typeof value === 'string') return this.#string(value, indent);
    if (typeof value !== 'object' || value === null) return this.#paint.yellow(String(value));
    if (fitsOneLine(value, this.#width - indent.length)) return this.#flat(value);
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
    const kept = lines.slice(0, mostLines).map((line) => line.slice(0, longestText));
    const whole = kept.join('\n').length >= visibleLines(text).length;
    if (!whole) this.isShortened = true;
    const mark = whole ? '' : `\n${indent}  ${this.#paint.dim(`… ${size(Buffer.byteLength(text))} in all`)}`;
    return `|\n${kept.map((line) => `${indent}  ${this.#paint.green(line)}`).join('\n')}${mark}`;
  }
}

/** What quotes round keys take in JSON is about what the space between members takes here. */
function fitsOneLine(value: object, width: number): boolean {
  const text = JSON.stringify(value);
  return displayWidth(text) <= width - longestKey && !text.includes('\\n');
}

/** Room for the key that a value stands behind. */
const longestKey = 16;
