// icecore __complete -- WORDS: the completion scripts send the words typed so far, the last one unfinished. The answer has one
// candidate per line, with its description after a tab; `:files` makes the shell offer names of files. It is not in the registry
// because only scripts call it.
import type { Command, Option } from 'commander';
import type { Candidate, CommandEntry, CommandModule, Declared } from '../../library/plugins/command.ts';
import { LazyPlugins } from '../../library/plugins/lazy-plugins.ts';
import { files } from '../../library/plugins/values.ts';
import { commandOf } from '../command-line.ts';
import { type Context, createContext } from '../context.ts';
import { globalOptions, partAtName } from '../globals.ts';
import type { Io } from '../io.ts';
import type { Commands } from '../registry.ts';
import type { Host } from '../run.ts';

const isFiles = (candidates: readonly Candidate[]): boolean => candidates[0]?.value === files[0]?.value;

/** Reports no errors: it offers nothing where nothing is known. */
export async function complete(
  words: readonly string[],
  io: Io,
  { invoke, loadPlugins, loadCommands }: Host,
): Promise<number> {
  const plugins = new LazyPlugins(loadPlugins, null, io.plugins);
  const context = createContext(io, { json: false, quiet: true }, invoke, plugins);
  const typed = words[0] === '--' ? words.slice(1) : words;
  const candidates = await candidatesFor(context, await loadCommands(), typed);
  await context.print(candidates.map(({ value, about }) => `${value}\t${about}\n`).join(''));
  return 0;
}

async function candidatesFor(
  context: Context,
  commands: Commands,
  typed: readonly string[],
): Promise<readonly Candidate[]> {
  // bash passes --type=X as three words.
  const words = typed.filter((word, i) => word !== '=' || i === typed.length - 1);
  const current = words.at(-1) === '=' ? '' : (words.at(-1) ?? '');
  const before = words.slice(0, -1);
  const candidates = await candidatesAfter(context, commands, before, current);
  if (isFiles(candidates)) return candidates;
  return candidates.filter(({ value }) => value.startsWith(current));
}

async function candidatesAfter(
  context: Context,
  commands: Commands,
  before: readonly string[],
  current: string,
): Promise<readonly Candidate[]> {
  if (before.at(-1) === '--ledger') return files;
  const { name, after } = partAtName(before);
  if (name === null) return current.startsWith('-') ? globals() : verbs(commands);
  const own = commands.find(name);
  if (own !== undefined) return await candidatesOf(context, own, after, current);
  if (name === 'help') {
    const [first] = after;
    return first === undefined
      ? [...verbs(commands), { value: 'all', about: 'list every command' }]
      : secondWords(commands, first);
  }
  const second = partAtName(after);
  if (second.name === null) return current.startsWith('-') ? globals() : secondWords(commands, name);
  const member = commands.find(`${name} ${second.name}`);
  return member === undefined ? [] : await candidatesOf(context, member, second.after, current);
}

function globals(): readonly Candidate[] {
  const shared = globalOptions.map(({ flags, summary }) => ({ value: longOf(flags), about: summary }));
  return [...shared, { value: '--version', about: 'show the version' }];
}

/** One candidate per first word, also where several commands share it. */
function verbs(commands: Commands): readonly Candidate[] {
  const shown = commands.firstWords.filter(
    (word) => commands.all.find(({ name }) => name.split(' ')[0] === word)?.group !== 'hidden',
  );
  return shown.map((value) => ({ value, about: commands.find(value)?.summary ?? namesOf(commands.siblings(value)) }));
}

function namesOf(entries: readonly CommandEntry[]): string {
  return entries.map(({ name }) => name.split(' ')[1]).join(', ');
}

function secondWords(commands: Commands, first: string): readonly Candidate[] {
  return commands.siblings(first).map(({ name, summary }) => ({ value: name.slice(first.length + 1), about: summary }));
}

async function candidatesOf(
  context: Context,
  entry: CommandEntry,
  after: readonly string[],
  current: string,
): Promise<readonly Candidate[]> {
  const module = await entry.load();
  const command = commandOf(entry, module);
  const option = awaitingValue(command, after);
  const given = argumentsIn(command, after);
  if (option !== null && !current.startsWith('-')) {
    const declared = Object.values(module.options).find(({ usage }) => longOf(usage) === option.long);
    return await valuesOf(context, declared, given, current);
  }
  if (current.startsWith('-')) return optionsOf(command, after);
  return await valuesOf(context, argumentAt(module, given.length), given, current);
}

async function valuesOf(
  context: Context,
  declared: Declared<unknown> | undefined,
  given: readonly string[],
  current: string,
): Promise<readonly Candidate[]> {
  return (await declared?.type?.complete?.(context, given, current)) ?? [];
}

/** The option whose value comes next; an option with several values also takes the next word. */
function awaitingValue(command: Command, words: readonly string[]): Option | null {
  const at = words.findLastIndex((word) => word.startsWith('-'));
  const option = command.options.find(
    ({ long, short }) => words[at] !== undefined && [long, short].includes(words[at]),
  );
  if (option === undefined || !(option.required || option.optional)) return null;
  return option.variadic || at === words.length - 1 ? option : null;
}

function optionsOf(command: Command, used: readonly string[]): readonly Candidate[] {
  const help = { value: '--help', about: 'show help' };
  const own = command.options
    .filter(
      ({ long, short, variadic, parseArg }) =>
        variadic || parseArg !== undefined || !used.some((word) => word === long || word === short),
    )
    .map(({ flags, description }) => ({ value: longOf(flags), about: description }));
  return [...own, help];
}

/** The last argument takes all further words if it takes several. */
function argumentAt({ args }: CommandModule, place: number): Declared<unknown> | undefined {
  const declared = Object.values(args);
  const last = declared.at(-1);
  return declared[place] ?? (last?.usage.includes('...') === true ? last : undefined);
}

/** The words that are neither options nor their values. */
function argumentsIn(command: Command, words: readonly string[]): readonly string[] {
  return words.filter((word, i) => !word.startsWith('-') && awaitingValue(command, words.slice(0, i)) === null);
}

function longOf(flags: string): string {
  return /--[a-z-]+/.exec(flags)?.[0] ?? flags;
}
