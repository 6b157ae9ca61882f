// The prompt's own commands: lines that begin with a dot. And what Tab offers: for these, and for the SQL that the desk knows.
import { IcecoreError } from '../../../../schemas/errors.ts';
import { nearest } from '../../../../schemas/nearest.ts';
import { counted } from '../../../base/quantity.ts';
import type { Sink } from '../../../base/sink.ts';
import { table } from '../../../document/layout.ts';

/** What a text could go on with, from where on. */
interface Completion {
  readonly suggestion: string;
  readonly start: number;
}

export interface Settings {
  /** One of the desk's formats. */
  readonly format: string;
  /** How many rows of a result are shown at most; null for all. */
  readonly rows: number | null;
}

/** What the prompt needs of the command around it. The desk knows ledgers, tables and formats; the prompt knows keys. */
export interface Desk {
  /** In the order in which they are offered. */
  readonly formats: readonly string[];
  /** Those the prompt begins with. */
  readonly settings: Settings;
  /** Brings the tables up to date, runs the statement and writes what it gives. Throws an IcecoreError, or whatever it likes
   * when the signal asked it to stop. */
  ask(sql: string, settings: Settings, signal: AbortSignal): Promise<void>;
  /** What the text could go on with. */
  complete(text: string): Promise<readonly Completion[]>;
  /** The tables, as text to be printed. */
  tables(): Promise<string>;
  /** The columns of one table or of all, as text to be printed. */
  schema(name: string | null): Promise<string>;
}

interface DotCommand {
  readonly name: string;
  /** What comes behind the name. */
  readonly takes: string;
  readonly summary: string;
}

const dotCommands = [
  { name: '.tables', takes: '', summary: 'the tables and what they hold' },
  { name: '.schema', takes: '[TABLE]', summary: 'the columns of a table, or of all' },
  { name: '.format', takes: 'NAME', summary: 'how results are written' },
  { name: '.limit', takes: 'N|all', summary: 'how many rows of a result are shown' },
  { name: '.timing', takes: 'on|off', summary: 'say how long each statement took' },
  { name: '.help', takes: '', summary: 'this list' },
  { name: '.exit', takes: '', summary: 'leave; Ctrl-D and .quit do as well' },
] as const satisfies readonly DotCommand[];

type Name = (typeof dotCommands)[number]['name'];

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

export const greeting = 'Statements end with a semicolon.  .tables  .schema TABLE  .help  .exit\n';
export const unended = 'The statement is not ended: ; and Enter run it, Ctrl-C drops it.\n';
export const howToLeave = 'Ctrl-D or .exit leaves.\n';

const keys: readonly (readonly [string, string])[] = [
  ['Enter', 'runs what is ended by a semicolon, else begins a line'],
  ['Up, Down', 'to what was asked before; where something is typed, to what begins with it'],
  ['Ctrl-R', 'searches in what was asked before for what is typed; again, for an older one'],
  ['Tab', 'completes keywords, tables and columns'],
  ['Ctrl-C', 'stops the statement that runs, or drops the one that is typed'],
];

/** Whether a line reads like a command, wherever it stands. */
export function isCommand(line: string): boolean {
  return known(line.trim()) !== undefined;
}

function known(word: string): Name | undefined {
  const small = word.toLowerCase();
  return dotCommands.find(({ name }) => name === small)?.name ?? otherwise[small];
}

/** How the prompt stands, as its commands set it. */
export class Controls {
  readonly #desk: Desk;
  readonly #sink: Sink;
  settings: Settings;
  isTimed = false;

  constructor(desk: Desk, sink: Sink) {
    this.#desk = desk;
    this.#sink = sink;
    this.settings = desk.settings;
  }

  /** What a command answers; null where it leaves the prompt. */
  async answer(line: string): Promise<string | null> {
    const [, word = '', rest = ''] = /^(\S+)\s*([\s\S]*)$/.exec(line.replace(/\s*;?\s*$/, '')) ?? [];
    const name = known(word);
    if (name === undefined) throw unknownCommand(word);
    if (name === '.exit') return null;
    const argument = rest === '' ? null : rest;
    if (name === '.tables') return await this.#desk.tables();
    if (name === '.schema') return await this.#desk.schema(argument);
    if (name === '.help') return this.#help();
    if (name === '.format') this.settings = { ...this.settings, format: formatFrom(argument, this.#desk.formats) };
    if (name === '.limit') this.settings = { ...this.settings, rows: limitFrom(argument) };
    if (name === '.timing') this.isTimed = switchFrom(argument, this.isTimed);
    const { format, rows } = this.settings;
    const shown = rows === null ? 'all rows' : `up to ${counted(rows, 'row')}`;
    return `format ${format}, ${shown}, timing ${this.isTimed ? 'on' : 'off'}\n`;
  }

  #help(): string {
    const commands = dotCommands.map(({ name, takes, summary }) => {
      const names = name === '.format' ? `: ${this.#desk.formats.join(', ')}` : '';
      return [`${name} ${takes}`.trimEnd(), summary + names];
    });
    return table([{ title: '' }, { title: '', wraps: true }], [...commands, ['', ''], ...keys], this.#sink);
  }
}

function unknownCommand(word: string): IcecoreError {
  const allowed = dotCommands.map(({ name }) => name);
  const near = nearest(word.replace(/^\\/, '.'), allowed);
  return new IcecoreError('usage', `there is no command "${word}"`, {
    facts: { found: word, allowed, nearest: near },
    remedy: `${near === null ? '' : `Did you mean ${near}? `}.help lists them; statements of SQL begin without a dot.`,
  });
}

function formatFrom(argument: string | null, formats: readonly string[]): string {
  const format = formats.find((name) => name === argument?.toLowerCase());
  if (format !== undefined) return format;
  const near = argument === null ? null : nearest(argument, formats);
  throw misused('.format', argument, formats.join(', '), near === null ? '' : `Did you mean ${near}?`);
}

function limitFrom(argument: string | null): Settings['rows'] {
  if (argument?.toLowerCase() === 'all') return null;
  const rows = /^[\d_,]+$/.test(argument ?? '') ? Number(argument?.replace(/[_,]/g, '')) : 0;
  if (!Number.isSafeInteger(rows) || rows < 1) throw misused('.limit', argument, 'a number of rows from 1, or all');
  return rows;
}

function switchFrom(argument: string | null, was: boolean): boolean {
  if (argument === null) return !was;
  const word = argument.toLowerCase();
  if (word !== 'on' && word !== 'off') throw misused('.timing', argument, 'on, off');
  return word === 'on';
}

function misused(name: Name, argument: string | null, allowed: string, remedy = ''): IcecoreError {
  const found = argument === null ? 'nothing' : `"${argument}"`;
  return new IcecoreError('usage', `${name}: found ${found}, allowed: ${allowed}`, {
    facts: { found: argument, allowed },
    remedy,
  });
}

/** What the text before the cursor could go on with: texts that stand for its end, and how much of it they stand for. */
export async function choicesFor(before: string, desk: Desk): Promise<readonly [choices: string[], typed: string]> {
  if (/(?:^|\n)[ \t]*$/.test(before)) return [['  '], ''];
  const fitting = (await suggestionsFor(before, desk)).filter(({ suggestion, start }) =>
    goesOn(suggestion, before.slice(start)),
  );
  const start = fitting[0]?.start ?? before.length;
  const typed = before.slice(start);
  const choices = distinct(fitting.filter((one) => one.start === start).map(({ suggestion }) => suggestion));
  return [choices.map((choice) => asTyped(typed, choice)), typed];
}

async function suggestionsFor(before: string, desk: Desk): Promise<readonly Completion[]> {
  const [, command, argument] = /^\s*(\.\S*)(?:\s+(\S*))?$/.exec(before) ?? [];
  if (command === undefined) return await desk.complete(before);
  const ending = (word: string, names: readonly string[]): readonly Completion[] =>
    names.map((suggestion) => ({ suggestion, start: before.length - word.length }));
  if (argument === undefined)
    return ending(
      command,
      dotCommands.map(({ name, takes }) => (takes === '' ? name : `${name} `)),
    );
  if (command === '.format') return ending(argument, desk.formats);
  if (command === '.timing') return ending(argument, ['on', 'off']);
  if (command !== '.schema') return [];
  // A table is what comes behind DESCRIBE, where no keyword does.
  const names = (await desk.complete(`describe ${argument}`)).filter(({ suggestion }) => !suggestion.endsWith(' '));
  return ending(
    argument,
    names.map(({ suggestion }) => suggestion),
  );
}

/** DuckDB also suggests what is merely similar, and operators, which nobody completes. */
function goesOn(suggestion: string, typed: string): boolean {
  if (!/^"?[\p{L}_.]/u.test(suggestion)) return false;
  const begun = typed.toLowerCase();
  return suggestion.toLowerCase().startsWith(begun) || suggestion.replace(/^"/, '').toLowerCase().startsWith(begun);
}

/** A name that is also offered as a keyword is one choice, in the words that came first. */
function distinct(suggestions: readonly string[]): readonly string[] {
  const seen = new Map<string, string>();
  for (const suggestion of suggestions) {
    const key = suggestion.replaceAll('"', '').trimEnd().toLowerCase();
    if (!seen.has(key)) seen.set(key, suggestion);
  }
  return [...seen.values()];
}

/** Nothing typed is taken back, and a keyword goes on in capitals where it was begun in them. */
function asTyped(typed: string, choice: string): string {
  if (!choice.toLowerCase().startsWith(typed.toLowerCase())) return choice;
  const rest = choice.slice(typed.length);
  const isCapital = /\p{Lu}/u.test(typed) && !/\p{Ll}/u.test(typed);
  return typed + (choice.endsWith(' ') && isCapital ? rest.toUpperCase() : rest);
}
