// The prompt's own commands: lines that begin with a dot.
import { IcecoreError } from '../../../../schemas/errors.ts';
import { nearest } from '../../../../schemas/nearest.ts';
import type { Settings } from './desk.ts';

export interface DotCommand {
  readonly name: string;
  /** What comes behind the name. */
  readonly takes: string;
  readonly summary: string;
}

export const dotCommands = [
  { name: '.tables', takes: '', summary: 'the tables and what they hold' },
  { name: '.schema', takes: '[TABLE]', summary: 'the columns of a table, or of all' },
  { name: '.format', takes: 'NAME', summary: 'how results are written' },
  { name: '.limit', takes: 'N|all', summary: 'how many rows of a result are shown' },
  { name: '.timing', takes: 'on|off', summary: 'say how long each statement took' },
  { name: '.help', takes: '', summary: 'this list' },
  { name: '.exit', takes: '', summary: 'leave; Ctrl-D and .quit do as well' },
] as const satisfies readonly DotCommand[];

type Name = (typeof dotCommands)[number]['name'];

export interface Dotted {
  readonly name: Name;
  /** What stands behind the name; null where nothing does. */
  readonly argument: string | null;
}

/** What people write who know other shells. */
const otherwise: Readonly<Record<string, Name>> = {
  exit: '.exit',
  quit: '.exit',
  help: '.help',
  '.quit': '.exit',
  '.q': '.exit',
  '.h': '.help',
  '\\q': '.exit',
  '\\?': '.help',
  '\\h': '.help',
  '\\d': '.schema',
  '\\dt': '.tables',
  '\\timing': '.timing',
  '.describe': '.schema',
  '.mode': '.format',
  '.maxrows': '.limit',
  '.timer': '.timing',
};

export function parsed(line: string): Dotted {
  const [, said = '', behind = ''] = /^(\S+)\s*([\s\S]*)$/.exec(line.replace(/\s*;?\s*$/, '')) ?? [];
  const name = known(said);
  if (name === undefined) throw unknown(said);
  return { name, argument: behind === '' ? null : behind };
}

/** Whether a line reads like a command, wherever it stands. */
export function isCommand(line: string): boolean {
  return known(line.trim()) !== undefined;
}

function known(said: string): Name | undefined {
  const word = said.toLowerCase();
  return dotCommands.find(({ name }) => name === word)?.name ?? otherwise[word];
}

function unknown(said: string): IcecoreError {
  const allowed = dotCommands.map(({ name }) => name);
  const near = nearest(said.replace(/^\\/, '.'), allowed);
  return new IcecoreError('usage', `there is no command "${said}"`, {
    facts: { found: said, allowed, nearest: near },
    remedy: `${near === null ? '' : `Did you mean ${near}? `}.help lists them; statements of SQL begin without a dot.`,
  });
}

export function formatFrom(said: string | null, formats: readonly string[]): string {
  const wanted = said?.toLowerCase();
  const format = formats.find((name) => name === wanted);
  if (format !== undefined) return format;
  const near = said === null ? null : nearest(said, formats);
  throw misused('.format', said, formats.join(', '), near === null ? '' : `Did you mean ${near}?`);
}

export function limitFrom(said: string | null): Settings['rows'] {
  if (said?.toLowerCase() === 'all') return null;
  const rows = /^[\d_,]+$/.test(said ?? '') ? Number(said?.replace(/[_,]/g, '')) : 0;
  if (!Number.isSafeInteger(rows) || rows < 1) throw misused('.limit', said, 'a number of rows from 1, or all');
  return rows;
}

export function switchFrom(said: string | null, was: boolean): boolean {
  if (said === null) return !was;
  const word = said.toLowerCase();
  if (word !== 'on' && word !== 'off') throw misused('.timing', said, 'on, off');
  return word === 'on';
}

function misused(name: Name, said: string | null, allowed: string, remedy = ''): IcecoreError {
  const found = said === null ? 'nothing' : `"${said}"`;
  return new IcecoreError('usage', `${name}: found ${found}, allowed: ${allowed}`, {
    facts: { found: said, allowed },
    remedy,
  });
}
