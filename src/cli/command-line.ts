// Parses the command line of one command: commander splits it by the command's declarations, whose types then parse each value.
import { Command, CommanderError, Option } from 'commander';
import { IcecoreError } from '../../schemas/errors.ts';
import { shellWord } from '../base/shell-word.ts';
import type { CommandEntry, CommandModule, Declarations, Declared } from '../library/plugins/command.ts';
import type { Context } from './context.ts';
import { globalOptions } from './globals.ts';
import { exampleText, notesText, optionGroups, widest } from './help.ts';

export function commandOf(
  { name, summary }: Pick<CommandEntry, 'name' | 'summary'>,
  module: CommandModule,
  width: number = widest,
): Command {
  const command = new Command(name).description(summary);
  for (const { usage, describe, more } of Object.values(module.args))
    command.argument(usage, withDefault(describe, more));
  for (const { heading, options } of optionGroups(module)) {
    for (const { usage, describe, more } of options) {
      const option = new Option(usage, withDefault(describe, more)).makeOptionMandatory(more.required === true);
      if ((option.required || option.optional) && !option.variadic) option.argParser(collected);
      command.addOption(heading === null ? option : option.helpGroup(`${heading}:`));
    }
  }
  command.optionsGroup('Options of every command:').helpOption('-h, --help', 'show help');
  for (const { flags, summary } of globalOptions) {
    if (flags.endsWith('--help')) continue;
    const option = new Option(flags, summary);
    command.addOption(option.isBoolean() ? option : option.argParser(onlyOnce(option.long ?? flags)));
  }
  return command
    .allowExcessArguments(false)
    .exitOverride()
    .configureHelp({ helpWidth: width, commandUsage: (shown) => `icecore ${shown.name()} ${shown.usage()}` })
    .addHelpText('after', notesText(module, width) + exampleText(module));
}

/** All values of an option, in the order in which they were typed; commander alone keeps only the last one. */
function collected(word: string, before: unknown): readonly string[] {
  return Array.isArray(before) ? [...(before as readonly string[]), word] : [word];
}

function onlyOnce(field: string): (word: string, before?: string) => string {
  return (word, before) => {
    if (before !== undefined) throw givenTwice(field, [before, word]);
    return word;
  };
}

function givenTwice(field: string, found: readonly string[]): IcecoreError {
  const words = found.map((word) => JSON.stringify(word)).join(' and ');
  return new IcecoreError('usage', `${field}: found ${words}, allowed: one of them`, {
    facts: { field, found },
    remedy: `${field} can be given once.`,
  });
}

function withDefault(describe: string, more: Declared<unknown>['more']): string {
  const shown = more.default ?? more.otherwise;
  return shown === undefined ? describe : `${describe} (default: ${shown})`;
}

/** Parses the words; returns the help text if --help was typed. */
export function parse(command: Command, words: readonly string[], isColoured: boolean): string | null {
  let shown = '';
  command.configureOutput({
    writeOut: (text) => {
      shown += text;
    },
    writeErr: () => {},
    getOutHasColors: () => isColoured,
  });
  try {
    command.parse([...words], { from: 'user' });
    return null;
  } catch (fault) {
    if (!(fault instanceof CommanderError)) throw fault;
    if (fault.code === 'commander.helpDisplayed') return shown;
    throw misuse(command, fault);
  }
}

/** The message of commander is `error: what`, and `(Did you mean that?)` on a second line if there is a near name. */
function misuse(command: Command, { code, message }: CommanderError): IcecoreError {
  const name = command.name();
  const [what = '', said = ''] = message.replace(/^error: /, '').split('\n');
  const hint = code === 'commander.excessArguments' ? nameHint(command) : said;
  const help = `icecore ${name} --help shows its arguments and options.`;
  const remedy = hint === '' ? help : `${hint.replace(/^\(|\)$/g, '')} ${help}`;
  return new IcecoreError('usage', `${name}: ${what}`, { facts: { command: name }, remedy });
}

/** A word after a command that takes none, but an option --name, may be meant as that name. */
function nameHint({ args, options, registeredArguments }: Command): string {
  const [word] = args;
  const isName = registeredArguments.length === 0 && args.length === 1 && options.some(({ long }) => long === '--name');
  return isName && word !== undefined && /^[\w.-]+$/.test(word) ? `Did you mean --name ${shellWord(word)}?` : '';
}

export interface Values {
  readonly args: object;
  readonly options: object;
}

/** The parsed values: arguments first, then options in the order of the help. */
export async function valuesOf(command: Command, module: CommandModule, context: Context): Promise<Values> {
  const words = [...command.args];
  const args = await read(module.args, context, ({ usage }) =>
    usage.includes('...') ? words.splice(0) : words.shift(),
  );
  const options = await read(module.options, context, ({ usage }) => command.getOptionValue(attributeOf(usage)));
  return { args, options };
}

async function read(
  declarations: Declarations,
  context: Context,
  typedFor: (declared: Declared<unknown>) => unknown,
): Promise<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const [name, declared] of Object.entries(declarations)) {
    const typed = typedFor(declared) ?? declared.more.default;
    if (typed !== undefined) values[name] = await readOne(declared, typed, context);
  }
  return values;
}

async function readOne({ usage, type, more }: Declared<unknown>, typed: unknown, context: Context): Promise<unknown> {
  if (type === null || typeof typed === 'boolean') return typed;
  const field = fieldOf(usage);
  if (!Array.isArray(typed)) return await type.parse(String(typed), field, context);
  if (more.again !== true && !usage.includes('...')) {
    if (typed.length > 1 && type.isList !== true) throw givenTwice(field, typed);
    return await type.parse(typed.join(','), field, context);
  }
  const values: unknown[] = [];
  for (const word of typed) values.push(await type.parse(String(word), field, context));
  return values.flat();
}

/** `--jobs` of `-j, --jobs <n>`, and `RUN` of `[run]`. */
function fieldOf(usage: string): string {
  return /--[a-z-]+/.exec(usage)?.[0] ?? usage.replaceAll(/[<>[\].]/g, '').toUpperCase();
}

function attributeOf(usage: string): string {
  return new Option(usage).attributeName();
}
