// Data as people read it: JSON by lines, coloured, with keys bare, short lists and objects on one line, and long texts
// shortened with their size beside.
import { deepestNesting } from '../../../schemas/canonical.ts';
import { size } from '../../base/quantity.ts';
import { displayWidth, type Paint } from '../../base/terminal.ts';
import { visible, visibleLines } from '../../base/visible.ts';

const longestText = 400;
const mostLines = 12;

export interface Pretty {
  readonly text: string;
  /** A text of the data itself was shortened. */
  readonly isShortened: boolean;
  /** A text that is kept elsewhere was. */
  readonly isExcerpt: boolean;
}

/** A text that is kept elsewhere, of which the beginning is at hand. */
export class Excerpt {
  readonly text: string;
  /** Of the whole of it. */
  readonly bytes: number;

  constructor(text: string, bytes: number) {
    this.text = text;
    this.bytes = bytes;
  }

  toJSON(): string {
    return this.text;
  }
}

/** What is said where there is no value. */
export class Remark {
  readonly says: string;

  constructor(says: string) {
    this.says = says;
  }

  toJSON(): string {
    return this.says;
  }
}

export function prettyData(data: unknown, paint: Paint, width: number): Pretty {
  const printer = new Printer(paint, width);
  const text = printer.print(shallow(data, 0), '  ');
  return { text: `  ${text}`, isShortened: printer.isShortened, isExcerpt: printer.isExcerpt };
}

/** No event that icecore wrote is nested deeper; what is would exhaust the stack. */
function shallow(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Excerpt || value instanceof Remark) return value;
  if (depth >= deepestNesting) return new Remark(`nested deeper than ${deepestNesting} levels`);
  if (Array.isArray(value)) return value.map((one) => shallow(one, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shallow(one, depth + 1)]));
}

class Printer {
  readonly #paint: Paint;
  readonly #width: number;
  isShortened = false;
  isExcerpt = false;

  constructor(paint: Paint, width: number) {
    this.#paint = paint;
    this.#width = width;
  }

  print(value: unknown, indent: string): string {
    if (typeof value === 'string') {
      const { text, isWhole } = this.#string(value, indent);
      if (!isWhole) this.isShortened = true;
      return text;
    }
    if (value instanceof Excerpt) {
      const { text, isWhole } = this.#string(value.text, indent, value.bytes);
      if (!isWhole) this.isExcerpt = true;
      return text;
    }
    if (value instanceof Remark) return this.#paint.dim(visible(value.says));
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
  #string(text: string, indent: string, bytes = Buffer.byteLength(text)): { text: string; isWhole: boolean } {
    if (!text.includes('\n') && text.length <= longestText)
      return { text: this.#paint.green(visible(JSON.stringify(text))), isWhole: true };
    const lines = visibleLines(text.slice(0, longestText * 4)).split('\n');
    const kept = lines.slice(0, mostLines).map((line) => line.slice(0, longestText));
    const isWhole = kept.join('\n').length >= visibleLines(text).length;
    const mark = isWhole ? '' : `\n${indent}  ${this.#paint.dim(`… ${size(bytes)} in all`)}`;
    return { text: `|\n${kept.map((line) => `${indent}  ${this.#paint.green(line)}`).join('\n')}${mark}`, isWhole };
  }
}

/** What quotes round keys take in JSON is about what the space between members takes here. */
function fitsOneLine(value: object, width: number): boolean {
  const text = JSON.stringify(value);
  return text.length <= mostUnits * width && displayWidth(text) <= width - longestKey && !text.includes('\\n');
}

/** To measure longer texts takes its time, and none of them fits. */
const mostUnits = 8;

/** Room for the key that a value stands behind. */
const longestKey = 16;
