// What the prompt prints about itself, and lists of names in columns.

import { table } from '../../../analysis/document/layout.ts';
import { displayWidth, padded } from '../../../base/terminal.ts';
import { visible } from '../../../base/visible.ts';
import type { Sink } from '../../io.ts';
import { dotCommands } from './commands.ts';

export const greeting = 'Statements end with a semicolon.  .tables  .schema TABLE  .help  .exit\n';
export const unended = 'The statement is not ended: ; and Enter run it, Ctrl-C drops it.\n';
export const howToLeave = 'Ctrl-D or .exit leaves.\n';

const keys: readonly (readonly [string, string])[] = [
  ['Enter', 'runs what is ended by a semicolon, else begins a line'],
  ['Alt-Enter', 'begins a line anywhere'],
  ['Up, Down', 'to the lines above and below, and on to what was asked before'],
  ['Page up, down', 'to what was asked before, past all lines'],
  ['Ctrl-R', 'searches in what was asked before'],
  ['Tab', 'completes keywords, tables and columns'],
  ['Ctrl-C', 'stops the statement that runs, or drops the one that is typed'],
];

export function helpText(formats: readonly string[], sink: Sink): string {
  const commands = dotCommands.map(({ name, takes, summary }) => [
    `${name} ${takes}`.trimEnd(),
    described(name, summary, formats),
  ]);
  const columns = [{ title: '' }, { title: '', wraps: true }] as const;
  return `${table(columns, [...commands, ['', ''], ...keys], sink)}`;
}

function described(name: string, summary: string, formats: readonly string[]): string {
  return name === '.format' ? `${summary}: ${formats.join(', ')}` : summary;
}

const listMost = 60;
const gap = 2;

/** Names beside one another, as many as fit in a row, read downwards; of many only the first. */
export function columned(names: readonly string[], columns: number): string {
  const shown = names.slice(0, listMost).map(visible);
  const width = Math.max(...shown.map(displayWidth)) + gap;
  const across = Math.max(1, Math.floor(columns / width));
  const rows = Math.ceil(shown.length / across);
  const lines = Array.from({ length: rows }, (_, row) =>
    shown
      .filter((_, i) => i % rows === row)
      .map((name) => padded(name, width))
      .join('')
      .trimEnd(),
  );
  const more = names.length - shown.length;
  return `${lines.join('\n')}\n${more > 0 ? `and ${more} more\n` : ''}`;
}
