// Runs one command: parses its command line, gives it a context, and turns errors into a message and an exit code.

import type { Command } from 'commander';
import { Untrusted } from '../library/consent/gate.ts';
import type { CommandEntry, CommandModule, ConfigUse } from '../library/plugins/command.ts';
import { LazyPlugins } from '../library/plugins/lazy-plugins.ts';
import type { Plugin } from '../library/plugins/plugin.ts';
import { commandOf, parse, valuesOf } from './command-line.ts';
import { withConsent } from './consent/question.ts';
import { type Context, createContext } from './context.ts';
import { type GlobalFlags, partAtName, takeNoConfig } from './globals.ts';
import { familyHelp, widest } from './help.ts';
import type { Io } from './io.ts';
import { noMember, unknownCommand, unknownMember, unknownOption } from './misuse.ts';
import { Commands } from './registry.ts';
import { report } from './report.ts';

/** What running a command takes. */
export interface Host {
  readonly invoke: Context['invoke'];
  /** Plugins of icecore and of the program that embeds the command line. */
  readonly loadPlugins: () => Promise<readonly Plugin[]>;
  /** Commands of icecore and of these plugins, by default those of `loadPlugins`. */
  readonly loadCommands: (plugins?: readonly Plugin[]) => Promise<Commands>;
}

export async function runCommand(word: string, typed: readonly string[], given: Io, host: Host): Promise<number> {
  const { isTyped, others: words } = takeNoConfig(typed);
  const io = isTyped ? withoutConfig(given) : given;
  try {
    const commands = await commandsWith(word, words, io, host);
    const own = commands.find(word);
    if (own !== undefined) return await runOne(own, words, io, host);
    if (commands.siblings(word).length === 0) throw unknownCommand(word, commands);
    const { before, name, after } = partAtName(words);
    if (name === null) return await showFamily(word, words, io, commands);
    const entry = commands.find(`${word} ${name}`);
    if (entry === undefined) throw unknownMember(word, name, commands);
    return await runOne(entry, [...before, ...after], io, host);
  } catch (fault) {
    const commands = await host.loadCommands().catch(() => undefined);
    return report(fault, io, flagsIn(words), { words, commands });
  }
}

/**
 * The commands of icecore alone if one of them begins with the word, else also those of plugins. Commands of the settings file come last
 * and only if its code was allowed before, so that a typing error causes no question.
 */
async function commandsWith(
  word: string,
  words: readonly string[],
  io: Io,
  { loadPlugins, loadCommands }: Host,
): Promise<Commands> {
  const { name } = word === importing ? partAtName(words) : { name: null };
  const has = (commands: Commands): boolean =>
    name === null ? commands.firstWords.includes(word) : commands.find(`${word} ${name}`) !== undefined;
  const own = new Commands();
  if (has(own) && (word !== importing || name !== null)) return own;
  const commands = await loadCommands();
  if (has(commands)) return commands;
  try {
    return await loadCommands((await new LazyPlugins(loadPlugins, io).all()).plugins);
  } catch (fault) {
    if (fault instanceof Untrusted) return commands;
    throw fault;
  }
}

/** The first word of the commands that plugins add as importers. */
const importing = 'import';

/** Shows the commands that begin with the word, for the word alone or with --help. */
async function showFamily(word: string, words: readonly string[], io: Io, commands: Commands): Promise<number> {
  const isHelp = words.length === 0 || words.includes('--help') || words.includes('-h');
  if (!isHelp) throw unknownOption(words, noMember(word, commands));
  await io.stdout.write(familyHelp(word, helpWidth(io), commands));
  return 0;
}

async function runOne(
  entry: CommandEntry,
  words: readonly string[],
  io: Io,
  { invoke, loadPlugins, loadCommands }: Host,
): Promise<number> {
  const module = await entry.load();
  const command = commandOf(entry, module, helpWidth(io));
  const help = parse(command, words, io.stdout.isTTY && !io.env['NO_COLOR']);
  if (help !== null) {
    await io.stdout.write(help);
    return 0;
  }
  const { json = false, quiet = false, ledger } = command.opts<Partial<GlobalFlags>>();
  const use = configUse(module, command);
  const plugins = new LazyPlugins(loadPlugins, use === 'look' ? null : io, io.plugins);
  const flags = { json, quiet, ...(ledger === undefined ? {} : { ledger }) };
  const context = createContext(io, flags, invoke, plugins, loadCommands);
  // A typed name may be one that a plugin registers, or a run in the ledger that the settings name.
  if (use === 'run') await withConsent(io, () => plugins.followConfig());
  const { args, options } = await valuesOf(command, module, context);
  try {
    return await withConsent(io, () => module.run(context, args, options));
  } finally {
    await context.workspace.close();
  }
}

/** Not a copy: a copy would open all streams of the process. */
function withoutConfig(io: Io): Io {
  return Object.create(io, { config: { value: false } }) as Io;
}

function configUse({ config = 'look' }: CommandModule, command: Command): ConfigUse {
  if (typeof config === 'string') return config;
  return command.getOptionValue(config.runWith) === undefined ? 'look' : 'run';
}

function helpWidth(io: Io): number {
  return io.stdout.isTTY ? Math.min(io.stdout.columns, widest) : widest;
}

/** The flags that decide how to report a fault, also for a line that does not parse. */
function flagsIn(words: readonly string[]): GlobalFlags {
  const end = words.indexOf('--');
  const options = end < 0 ? words : words.slice(0, end);
  const json = options.includes('--json');
  const quiet = options.includes('--quiet') || options.includes('-q');
  const at = options.lastIndexOf('--ledger');
  const ledger =
    at < 0 ? options.findLast((word) => word.startsWith('--ledger='))?.slice('--ledger='.length) : options[at + 1];
  return { json, quiet, ...(ledger === undefined ? {} : { ledger }) };
}
