// Runs one command: parses its line with commander, hands it a context, and turns whatever it throws into a message and an
// exit code.
import { type Command, CommanderError } from 'commander';
import { IcecoreError } from '../../schemas/errors.ts';
import { type CommandFamily, type CommandModule, isFamily, type Member } from './command.ts';
import { commandOf, familyHelp, widestHelp } from './command-line.ts';
import { withConsent } from './consent/question.ts';
import { type Context, createContext } from './context.ts';
import { withNameFirst } from './family-words.ts';
import { type GlobalFlags, partAtName } from './globals.ts';
import type { Io } from './io.ts';
import type { Entry } from './manifest.ts';
import { noMember, unknownMember, unknownOption } from './misuse.ts';
import { report } from './report.ts';

export async function runCommand(
  entry: Entry,
  words: readonly string[],
  io: Io,
  invoke: Context['invoke'],
): Promise<number> {
  const asked = flagsIn(words);
  try {
    const { command } = await entry.load();
    if (isFamily(command)) return await runOneOf(entry, command, words, io, invoke);
    return await runModule(entry, command, words, io, invoke);
  } catch (fault) {
    return report(fault, io, asked);
  }
}

async function runOneOf(
  entry: Entry,
  family: CommandFamily,
  words: readonly string[],
  io: Io,
  invoke: Context['invoke'],
): Promise<number> {
  const { before, name, after } = partAtName(withNameFirst(family, words));
  if (name === null) return await showFamily(entry, family, words, io);
  const member = family.members.find((one) => one.name === name);
  if (member === undefined) throw unknownMember(entry.name, family, name);
  const { command } = await member.load();
  return await runModule({ ...member, name: `${entry.name} ${name}` }, command, [...before, ...after], io, invoke);
}

/** Named alone, or with a request for help, it says what there is of it. */
async function showFamily(entry: Entry, family: CommandFamily, words: readonly string[], io: Io): Promise<number> {
  const asksForHelp = words.length === 0 || words.includes('--help') || words.includes('-h');
  if (!asksForHelp) throw unknownOption(words, noMember(entry.name, family));
  await io.stdout.write(familyHelp(entry, family, helpWidth(io)));
  return 0;
}

async function runModule(
  entry: Pick<Member, 'name' | 'summary'>,
  module: CommandModule,
  words: readonly string[],
  io: Io,
  invoke: Context['invoke'],
): Promise<number> {
  const command = commandOf(entry, module, helpWidth(io));
  const help = parse(command, words, io);
  if (help !== null) {
    await io.stdout.write(help);
    return 0;
  }
  const flags = command.opts<{ json?: true; quiet?: true; ledger?: string }>();
  return await withConsent(io, () => module.run(createContext(io, globalFlags(flags), invoke), command));
}

function helpWidth(io: Io): number {
  return io.stdout.isTTY ? Math.min(io.stdout.columns, widestHelp) : widestHelp;
}

/** Reads the words into the command; returns its help where that was asked for. */
function parse(command: Command, words: readonly string[], io: Io): string | null {
  let shown = '';
  command.configureOutput({
    writeOut: (text) => {
      shown += text;
    },
    writeErr: () => {},
    getOutHasColors: () => io.stdout.isTTY && !io.env['NO_COLOR'],
  });
  try {
    command.parse([...words], { from: 'user' });
    return null;
  } catch (fault) {
    if (!(fault instanceof CommanderError)) throw fault;
    if (fault.code === 'commander.helpDisplayed') return shown;
    throw misuse(command.name(), fault.message);
  }
}

/** commander's message is `error: what` and, where it found something near, `(Did you mean that?)` on a line of its own. */
function misuse(name: string, said: string): IcecoreError {
  const [what = '', hint = ''] = said.replace(/^error: /, '').split('\n');
  const help = `icecore ${name} --help shows what it takes.`;
  const remedy = hint === '' ? help : `${hint.replace(/^\(|\)$/g, '')} ${help}`;
  return new IcecoreError('usage', `${name}: ${what}`, { facts: { command: name }, remedy });
}

function globalFlags(found: { json?: true; quiet?: true; ledger?: string }): GlobalFlags {
  return {
    json: found.json === true,
    quiet: found.quiet === true,
    ...(found.ledger === undefined ? {} : { ledger: found.ledger }),
  };
}

/** How to report a fault of a line that may not even parse. */
function flagsIn(words: readonly string[]): GlobalFlags {
  const end = words.indexOf('--');
  const options = end < 0 ? words : words.slice(0, end);
  return { json: options.includes('--json'), quiet: options.includes('--quiet') || options.includes('-q') };
}
