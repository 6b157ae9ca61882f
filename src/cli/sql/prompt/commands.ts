// The prompt's own commands, which are lines that begin with a dot, and what Tab offers for them and for SQL.
import { IcecoreError } from '../../../../schemas/errors.ts';
import { nearest } from '../../../../schemas/nearest.ts';
import { counted } from '../../../base/quantity.ts';
import type { Sink } from '../../../base/sink.ts';
import { table } from '../../../document/layout.ts';

/** What could replace the text from `start` on. */
interface Completion {
  readonly suggestion: string;
  readonly start: number;
}

export interface Settings {
  /** One of the formats of the host. */
  readonly format: string;
  /** The maximum number of rows that are shown; null for all. */
  readonly rows: number | null;
}

/** What the prompt needs of the command around it: the host knows ledgers, tables and formats, the prompt knows keys. */
export interface PromptHost {
  /** In the order in which they are offered. */
  readonly formats: readonly string[];
  /** The settings at the start. */
  readonly settings: Settings;
  /** Refreshes the tables, runs the statement and writes its result. Throws an IcecoreError, or anything once the signal is
   * aborted. */
  ask(sql: string, settings: Settings, signal: AbortSignal): Promise<void>;
  /** What could replace the end of the text. */
  complete(text: string): Promise<readonly Completion[]>;
  /** The tables, as text to be printed. */
  tables(): Promise<string>;
  /** The columns of one table or of all, as text to be printed. */
  schema(name: string | null): Promise<string>;
}

interface DotCommand {
  readonly name: string;
  /** What follows the name. */
  readonly takes: string;
  readonly summary: string;
}

const dotCommands = [
  { name: '.tables', takes: '', summary: 'list the tables' },
  { name: '.schema', takes: '[TABLE]', summary: 'list the columns of a table, or of all' },
  { name: '.format', takes: 'NAME', summary: 'set the format of results' },
  { name: '.limit', takes: 'N|all', summary: 'set the maximum number of rows' },
  { name: '.timing', takes: 'on|off', summary: 'print the time of each statement' },
  { name: '.help', takes: '', summary: 'show this list' },
  { name: '.exit', takes: '', summary: 'leave; also Ctrl-D or .quit' },
] as const satisfies readonly DotCommand[];

type Name = (typeof dotCommands)[number]['name'];

/** Commands of other shells. */
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
export const unended = 'The statement has no semicolon yet: type ; and Enter to run it, or Ctrl-C to drop it.\n';
export const howToLeave = 'Type .exit or Ctrl-D to leave.\n';

const keys: readonly (readonly [string, string])[] = [
  ['Enter', 'run the statement if it ends in a semicolon, else start another line'],
  ['Up, Down', 'earlier statements; if something is typed, those that begin with it'],
  ['Ctrl-R', 'search earlier statements for what is typed; again for an older one'],
  ['Tab', 'complete keywords, tables and columns'],
  ['Ctrl-C', 'stop the running statement, or drop the typed one'],
];

/** Whether a line is a command, even within a statement. */
export function isCommand(line: string): boolean {
  return commandNamed(line.trim()) !== undefined;
}

function commandNamed(word: string): Name | undefined {
  const small = word.toLowerCase();
  return dotCommands.find(({ name }) => name === small)?.name ?? otherwise[small];
}

/** The settings of the prompt, which its commands change. */
export class Controls {
  readonly #host: PromptHost;
  readonly #sink: Sink;
  settings: Settings;
  isTimed = false;

  constructor(host: PromptHost, sink: Sink) {
    this.#host = host;
    this.#sink = sink;
    this.settings = host.settings;
  }

  /** The answer to a command; null if it leaves the prompt. */
  async answer(line: string): Promise<string | null> {
    const [, word = '', rest = ''] = /^(\S+)\s*([\s\S]*)$/.exec(line.replace(/\s*;?\s*$/, '')) ?? [];
    const name = commandNamed(word);
    if (name === undefined) throw unknownCommand(word);
    if (name === '.exit') return null;
    const argument = rest === '' ? null : rest;
    if (name === '.tables') return await this.#host.tables();
    if (name === '.schema') return await this.#host.schema(argument);
    if (name === '.help') return this.#help();
    if (name === '.format') this.settings = { ...this.settings, format: formatFrom(argument, this.#host.formats) };
    if (name === '.limit') this.settings = { ...this.settings, rows: limitFrom(argument) };
    if (name === '.timing') this.isTimed = switchFrom(argument, this.isTimed);
    const { format, rows } = this.settings;
    const shown = rows === null ? 'all rows' : `up to ${counted(rows, 'row')}`;
    return `format ${format}, ${shown}, timing ${this.isTimed ? 'on' : 'off'}\n`;
  }

  #help(): string {
    const commands = dotCommands.map(({ name, takes, summary }) => {
      const names = name === '.format' ? `: ${this.#host.formats.join(', ')}` : '';
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
    remedy: `${near === null ? '' : `Did you mean ${near}? `}.help lists the commands; SQL begins without a dot.`,
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

/** What could replace the end of the text before the cursor, and the end that it replaces. */
export async function choicesFor(
  before: string,
  host: PromptHost,
): Promise<readonly [choices: string[], typed: string]> {
  if (/(?:^|\n)[ \t]*$/.test(before)) return [['  '], ''];
  const fitting = (await suggestionsFor(before, host)).filter(({ suggestion, start }) =>
    continues(suggestion, before.slice(start)),
  );
  const start = fitting[0]?.start ?? before.length;
  const typed = before.slice(start);
  const choices = distinct(fitting.filter((one) => one.start === start).map(({ suggestion }) => suggestion));
  return [choices.map((choice) => asTyped(typed, choice)), typed];
}

async function suggestionsFor(before: string, host: PromptHost): Promise<readonly Completion[]> {
  const [, command, argument] = /^\s*(\.\S*)(?:\s+(\S*))?$/.exec(before) ?? [];
  if (command === undefined) return await host.complete(before);
  const ending = (word: string, names: readonly string[]): readonly Completion[] =>
    names.map((suggestion) => ({ suggestion, start: before.length - word.length }));
  if (argument === undefined)
    return ending(
      command,
      dotCommands.map(({ name, takes }) => (takes === '' ? name : `${name} `)),
    );
  if (command === '.format') return ending(argument, host.formats);
  if (command === '.timing') return ending(argument, ['on', 'off']);
  if (command !== '.schema') return [];
  // DESCRIBE is followed by tables; keywords among the suggestions end in a blank.
  const names = (await host.complete(`describe ${argument}`)).filter(({ suggestion }) => !suggestion.endsWith(' '));
  return ending(
    argument,
    names.map(({ suggestion }) => suggestion),
  );
}

/** DuckDB also suggests similar names and operators: they are left out. */
function continues(suggestion: string, typed: string): boolean {
  if (!/^"?[\p{L}_.]/u.test(suggestion)) return false;
  const begun = typed.toLowerCase();
  return suggestion.toLowerCase().startsWith(begun) || suggestion.replace(/^"/, '').toLowerCase().startsWith(begun);
}

/** A name that is also a keyword is one choice, spelled as it came first. */
function distinct(suggestions: readonly string[]): readonly string[] {
  const seen = new Map<string, string>();
  for (const suggestion of suggestions) {
    const key = suggestion.replaceAll('"', '').trimEnd().toLowerCase();
    if (!seen.has(key)) seen.set(key, suggestion);
  }
  return [...seen.values()];
}

/** Keeps what was typed, and completes a keyword in capitals if it was begun in capitals. */
function asTyped(typed: string, choice: string): string {
  if (!choice.toLowerCase().startsWith(typed.toLowerCase())) return choice;
  const rest = choice.slice(typed.length);
  const isCapital = /\p{Lu}/u.test(typed) && !/\p{Ll}/u.test(typed);
  return typed + (choice.endsWith(' ') && isCapital ? rest.toUpperCase() : rest);
}
