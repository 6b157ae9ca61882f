// Runs one command: reads its command line, gives it a context, and turns whatever it throws into a message and an exit code.

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

/** What commands are run by. */
export interface Host {
  readonly invoke: Context['invoke'];
  /** Those of icecore, and of the program that the command line is part of. */
  readonly loadPlugins: () => Promise<readonly Plugin[]>;
  /** Those of icecore, and of these plugins or those of `loadPlugins`. */
  readonly loadCommands: (plugins?: readonly Plugin[]) => Promise<Commands>;
}

export async function runCommand(word: string, typed: readonly string[], given: Io, host: Host): Promise<number> {
  const { isTyped, others: words } = takeNoConfig(typed);
  const io = isTyped ? withoutConfig(given) : given;
  try {
    const commands = await commandsWith(word, io, host);
    const own = commands.find(word);
    if (own !== undefined) return await runOne(own, words, io, host);
    if (commands.siblings(word).length === 0) throw unknownCommand(word, commands);
    const { before, name, after } = partAtName(words);
    if (name === null) return await showFamily(word, words, io, commands);
    const entry = commands.find(`${word} ${name}`);
    if (entry === undefined) throw unknownMember(word, name, commands);
    return await runOne(entry, [...before, ...after], io, host);
  } catch (fault) {
    return report(fault, io, flagsIn(words), await host.loadCommands().catch(() => undefined));
  }
}

/**
 * Those of icecore itself where one of them begins with the word, else with those of plugins; with those of the settings file where
 * none other has the word and its code was allowed before: nobody is asked because of a typing error.
 */
async function commandsWith(word: string, io: Io, { loadPlugins, loadCommands }: Host): Promise<Commands> {
  const own = new Commands();
  if (own.firstWords.includes(word)) return own;
  const commands = await loadCommands();
  if (commands.firstWords.includes(word)) return commands;
  try {
    return await loadCommands((await new LazyPlugins(loadPlugins, io).all()).plugins);
  } catch (fault) {
    if (fault instanceof Untrusted) return commands;
    throw fault;
  }
}

/** The first word alone, or with --help, shows the commands that begin with it. */
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
  const plugins = new LazyPlugins(loadPlugins, use === 'look' ? null : io);
  const flags = { json, quiet, ...(ledger === undefined ? {} : { ledger }) };
  const context = createContext(io, flags, invoke, plugins, loadCommands);
  // What is typed may be a name that a plugin registers, or of a run in the ledger that the settings name.
  if (use === 'run') await withConsent(io, () => plugins.followConfig());
  const { args, options } = await valuesOf(command, module, context);
  try {
    return await withConsent(io, () => module.run(context, args, options));
  } finally {
    await context.workspace.close();
  }
}

/** Without a copy: the streams of the process are opened by whoever uses them. */
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

/** How to report a fault of a line that may not even parse. */
function flagsIn(words: readonly string[]): GlobalFlags {
  const end = words.indexOf('--');
  const options = end < 0 ? words : words.slice(0, end);
  return { json: options.includes('--json'), quiet: options.includes('--quiet') || options.includes('-q') };
}
