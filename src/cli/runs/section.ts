// Parts of what is shown of a run: a title with lines below it, and prose that fits the terminal.
import type { Context } from '../context.ts';
import { wrapped } from '../output/wrap.ts';

type Surroundings = Pick<Context, 'paint' | 'io'>;

/** Empty where there are no lines. Lines are shown as they are: they hold nothing that steers a terminal. */
export function section(context: Surroundings, title: string, lines: readonly string[]): string {
  if (lines.length === 0) return '';
  return `${context.paint.bold(title)}\n${lines.map((line) => paragraph(context, line, undefined, '  ')).join('')}`;
}

/** Filled to the width of the terminal; elsewhere it is one line. */
export function paragraph(
  { io }: Surroundings,
  text: string,
  paint: (text: string) => string = (plain) => plain,
  indent = '',
): string {
  const lines = io.stdout.isTTY ? wrapped(text, io.stdout.columns - indent.length - hanging.length) : [text];
  return lines.map((line, i) => `${indent}${i === 0 ? '' : hanging}${paint(line)}\n`).join('');
}

const hanging = '  ';
