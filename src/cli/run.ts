// Runs one command: reads its command line, gives it a context, and turns whatever it throws into a message and an exit code.

import type { Registry } from '../lab/registry.ts';
import type { CommandEntry } from '../library/plugins/command.ts';
import { commandOf, parse, valuesOf } from './command-line.ts';
import { withConsent } from './consent/question.ts';
import { type Context, createContext } from './context.ts';
import { type GlobalFlags, partAtName } from './globals.ts';
import { familyHelp, widest } from './help.ts';
import type { Io } from './io.ts';
import { noMember, unknownCommand, unknownMember, unknownOption } from './misuse.ts';
import type { Commands } from './registry.ts';
import { report } from './report.ts';

/** What commands are run by. */
export interface Host {
  readonly invoke: Context['invoke'];
  readonly registry: Registry;
  readonly commands: Commands;
}

export async function runCommand(word: string, words: readonly string[], io: Io, host: Host): Promise<number> {
  const { commands } = host;
  try {
    const own = commands.find(word);
    if (own !== undefined) return await runOne(own, words, io, host);
    if (commands.siblings(word).length === 0) throw unknownCommand(word, commands);
    const { before, name, after } = partAtName(words);
    if (name === null) return await showFamily(word, words, io, commands);
    const entry = commands.find(`${word} ${name}`);
    if (entry === undefined) throw unknownMember(word, name, commands);
    return await runOne(entry, [...before, ...after], io, host);
  } catch (fault) {
    return report(fault, io, flagsIn(words), commands);
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
  { invoke, registry, commands }: Host,
): Promise<number> {
  const module = await entry.load();
  const command = commandOf(entry, module, helpWidth(io));
  const help = parse(command, words, io.stdout.isTTY && !io.env['NO_COLOR']);
  if (help !== null) {
    await io.stdout.write(help);
    return 0;
  }
  const { json = false, quiet = false, ledger } = command.opts<Partial<GlobalFlags>>();
  const context = createContext(
    io,
    { json, quiet, ...(ledger === undefined ? {} : { ledger }) },
    invoke,
    registry,
    commands,
  );
  const { args, options } = await valuesOf(command, module, context);
  try {
    return await withConsent(io, () => module.run(context, args, options));
  } finally {
    await context.workspace.close();
  }
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
