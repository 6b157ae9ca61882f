// icecore __complete -- WORDS: what the completion scripts ask, with the words so far, the last of them unfinished. It
// answers a candidate a line, with its description behind a tab; `:files` asks the shell for file names instead. It is not
// in the manifest, because it is no command for people.
import type { Argument, Command, Option } from 'commander';
import { type CommandFamily, type CommandModule, isFamily, type Member } from '../command.ts';
import { commandOf } from '../command-line.ts';
import { type Context, createContext } from '../context.ts';
import { withNameFirst } from '../family-words.ts';
import { globalOptions, partAtName } from '../globals.ts';
import type { Io } from '../io.ts';
import { commands, findCommand } from '../manifest.ts';
import { type Candidate, recentStreams, runNames, turnedKnobs } from './of-ledger.ts';

const files: Candidate = { value: ':files', about: '' };

/** Never complains: where nothing is known, nothing is offered. */
export async function complete(words: readonly string[], io: Io, invoke: Context['invoke']): Promise<number> {
  const context = createContext(io, { json: false, quiet: true }, invoke);
  const candidates = await candidatesFor(context, words[0] === '--' ? words.slice(1) : words);
  await context.print(candidates.map(({ value, about }) => `${value}\t${about}\n`).join(''));
  return 0;
}

async function candidatesFor(context: Context, typed: readonly string[]): Promise<readonly Candidate[]> {
  // bash hands over --type=X as three words.
  const words = typed.filter((word, i) => word !== '=' || i === typed.length - 1);
  const current = words.at(-1) === '=' ? '' : (words.at(-1) ?? '');
  const before = words.slice(0, -1);
  const candidates = await candidatesAfter(context, before, current);
  if (candidates[0] === files) return candidates;
  return candidates.filter(({ value }) => value.startsWith(current));
}

async function candidatesAfter(
  context: Context,
  before: readonly string[],
  current: string,
): Promise<readonly Candidate[]> {
  if (before.at(-1) === '--ledger') return [files];
  const { name, after } = partAtName(before);
  if (name === null) return current.startsWith('-') ? globals() : commandNames();
  if (name === 'help') return commandNames();
  const entry = findCommand(name);
  if (entry === undefined) return [];
  const { command } = await entry.load();
  if (isFamily(command)) return await candidatesOfFamily(context, command, after, current);
  return await candidatesOf(context, entry, command, after, current);
}

async function candidatesOfFamily(
  context: Context,
  family: CommandFamily,
  words: readonly string[],
  current: string,
): Promise<readonly Candidate[]> {
  const { members } = family;
  const { name, after } = partAtName(withNameFirst(family, words));
  if (name === null) return current.startsWith('-') ? globals() : named(members);
  const member = members.find((one) => one.name === name);
  if (member === undefined) return [];
  return await candidatesOf(context, member, (await member.load()).command, after, current);
}

async function candidatesOf(
  context: Context,
  entry: Pick<Member, 'name' | 'summary'>,
  module: CommandModule,
  after: readonly string[],
  current: string,
): Promise<readonly Candidate[]> {
  const command = commandOf(entry, module);
  const option = awaitingValue(command, after);
  if (option !== null && !current.startsWith('-')) return await valuesOf(context, option);
  if (current.startsWith('-')) return optionsOf(command, after);
  return await argumentsOf(context, command, after);
}

function globals(): readonly Candidate[] {
  const shared = globalOptions.map(({ flags, summary }) => ({ value: longOf(flags), about: summary }));
  return [...shared, { value: '--version', about: 'show the version' }];
}

function commandNames(): readonly Candidate[] {
  return named(commands);
}

function named(list: readonly Pick<Member, 'name' | 'summary'>[]): readonly Candidate[] {
  return list.map(({ name, summary }) => ({ value: name, about: summary }));
}

/** The option whose value comes next; one that takes several takes the next word too. */
function awaitingValue(command: Command, words: readonly string[]): Option | null {
  const at = words.findLastIndex((word) => word.startsWith('-'));
  const option = command.options.find(
    ({ long, short }) => words[at] !== undefined && [long, short].includes(words[at]),
  );
  if (option === undefined || !(option.required || option.optional)) return null;
  return option.variadic || at === words.length - 1 ? option : null;
}

async function valuesOf(context: Context, option: Option): Promise<readonly Candidate[]> {
  if (option.argChoices !== undefined) return option.argChoices.map((value) => ({ value, about: '' }));
  switch (option.long) {
    case '--type':
    case '--types':
      return await eventTypeNames();
    case '--stream':
      return await recentStreams(context);
    case '--texts':
      return ['blobs', 'inline'].map((value) => ({ value, about: '' }));
    case '--format':
      return await formatNames();
    case '--against':
    case '--resume':
    case '--runs':
      return await runNames(context);
    case '--tables':
      return await tableNames();
    case '--checkpoint':
    case '--config':
    case '--curve':
    case '--file':
    case '--out':
    case '--output':
    case '--rejects':
    case '--report':
    case '--svg':
    case '--to':
      return [files];
    case '--suite':
      return await suiteNames();
    case '--engineer':
      return await engineerNames();
    case '--context':
    case '--form':
      return await formNames();
    case '--expect':
      return ['none', 'exists', 'any'].map((value) => ({ value, about: '' }));
    default:
      return [];
  }
}

async function eventTypeNames(): Promise<readonly Candidate[]> {
  const { eventTypes } = await import('../../../schemas/catalogue.ts');
  return Array.from(eventTypes, ([value, { summary }]) => ({ value, about: summary }));
}

async function suiteNames(): Promise<readonly Candidate[]> {
  const { suites } = await import('../../lab/lake/generator/suites.ts');
  return suites.map(({ name }) => ({ value: name, about: '' }));
}

async function engineerNames(): Promise<readonly Candidate[]> {
  const { engineerNames } = await import('../../producers/engineers/choice.ts');
  return [...engineerNames([])].map((value) => ({ value, about: '' }));
}

async function formNames(): Promise<readonly Candidate[]> {
  const { meanings, presetNames } = await import('../../producers/contexts/forms.ts');
  const presets = presetNames.map((value) => ({ value, about: '' }));
  return [...presets, ...Object.entries(meanings).map(([value, about]) => ({ value, about }))];
}

async function formatNames(): Promise<readonly Candidate[]> {
  const { allFormats } = await import('../sql/asked.ts');
  return allFormats.map((value) => ({ value, about: '' }));
}

/** Macros have no columns, and are no tables. */
async function tableNames(): Promise<readonly Candidate[]> {
  const { tableDefinitions } = await import('../../projections/tables/catalogue.ts');
  const shown = tableDefinitions().filter(({ columns }) => columns.length > 0);
  return shown.map(({ name, meaning }) => ({ value: name, about: meaning }));
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

async function argumentsOf(
  context: Context,
  command: Command,
  after: readonly string[],
): Promise<readonly Candidate[]> {
  const given = argumentsIn(command, after);
  const awaited = argumentAt(command.registeredArguments, given.length);
  if (awaited === undefined) return [];
  if (awaited.argChoices !== undefined) return awaited.argChoices.map((value) => ({ value, about: '' }));
  switch (awaited.name()) {
    case 'run':
    case 'stage':
    case 'other':
      return await runNames(context);
    case 'knob':
      return await turnedKnobs(context, given[0] ?? '');
    case 'table':
      return await tableNames();
    case 'file':
    case 'folder':
      return [files];
    default:
      return [];
  }
}

/** The last one takes all that come, if it takes several. */
function argumentAt(expected: readonly Argument[], place: number): Argument | undefined {
  const last = expected.at(-1);
  return expected[place] ?? (last?.variadic === true ? last : undefined);
}

/** The words that are neither options nor values of these. */
function argumentsIn(command: Command, words: readonly string[]): readonly string[] {
  return words.filter((word, i) => !word.startsWith('-') && awaitingValue(command, words.slice(0, i)) === null);
}

function longOf(flags: string): string {
  return /--[a-z-]+/.exec(flags)?.[0] ?? flags;
}
