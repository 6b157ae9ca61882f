// A story as a tree for a terminal, filled to its width. Colours only repeat what the words say.
import type { Context } from '../context.ts';
import { visible, visibleLines } from '../output/visible.ts';
import { wrapped } from '../output/wrap.ts';
import type { Branch, Line, Outline, Part, Tone } from './outline.ts';

type Surroundings = Pick<Context, 'paint' | 'io'>;

export function terminalText(context: Surroundings, { title, state, parts }: Outline): string {
  const head = `${context.paint.bold(visible(title))}  ${state}\n`;
  return head + parts.map((one, i) => `${i === 0 ? '' : '\n'}${partText(context, one)}`).join('');
}

function partText(context: Surroundings, { title, lines, branches }: Part): string {
  const own = lines.map((one) => lineText(context, one, '  ', '    ')).join('');
  const head = title === '' ? '' : `${context.paint.bold(title)}\n`;
  return head + own + branchesText(context, branches, '');
}

function branchesText(context: Surroundings, branches: readonly Branch[], indent: string): string {
  return branches
    .map((one, i) => {
      const isLast = i === branches.length - 1;
      return branchText(context, one, `${indent}${isLast ? '└─ ' : '├─ '}`, `${indent}${isLast ? '   ' : '│  '}`);
    })
    .join('');
}

/** `first` stands before its first line, `below` before all others. */
function branchText(context: Surroundings, { lines, branches }: Branch, first: string, below: string): string {
  const stem = branches.length === 0 ? below : `${below}│  `;
  const own = lines.map((one, i) => lineText(context, one, i === 0 ? first : stem, `${stem}${i === 0 ? '  ' : ''}`));
  return own.join('') + branchesText(context, branches, below);
}

/** Drawings keep their width: a terminal that is narrower breaks them itself. */
function lineText(context: Surroundings, { text, tone, isDrawn }: Line, first: string, below: string): string {
  const { paint, io } = context;
  const colour = tones(paint)[tone];
  const dimmed = (stem: string): string => (stem.trim() === '' ? stem : paint.dim(stem));
  if (isDrawn) {
    return visibleLines(text)
      .split('\n')
      .map((one) => `${dimmed(first)}${one}`.trimEnd())
      .map((one) => `${one}\n`)
      .join('');
  }
  const room = Math.max(narrowest, io.stdout.columns - below.length);
  const shown = io.stdout.isTTY ? wrapped(visible(text), room) : [visible(text)];
  return shown.map((one, i) => `${dimmed(i === 0 ? first : below)}${colour(one)}\n`).join('');
}

/** In fewer columns nobody reads prose. */
const narrowest = 24;

function tones(paint: Context['paint']): Readonly<Record<Tone, (text: string) => string>> {
  return { plain: (text) => text, strong: paint.bold, quiet: paint.dim, warning: paint.yellow };
}
