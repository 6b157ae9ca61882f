// Runs one command: parses its line with commander, hands it a context, and turns whatever it throws into a message and an
// exit code.
import { type Command, CommanderError } from 'commander';
import { IcecoreError } from '../../schemas/errors.ts';
import { commandOf, widestHelp } from './command-line.ts';
import { type Context, createContext } from './context.ts';
import type { GlobalFlags } from './globals.ts';
import type { Io } from './io.ts';
import type { Entry } from './manifest.ts';
import { report } from './report.ts';

export async function runCommand(
  entry: Entry,
  words: readonly string[],
  io: Io,
  invoke: Context['invoke'],
): Promise<number> {
  const asked = flagsIn(words);
  try {
    const { command: module } = await entry.load();
    const width = io.stdout.isTTY ? Math.min(io.stdout.columns, widestHelp) : widestHelp;
    const command = commandOf(entry, module, width);
    const help = parse(command, words, io);
    if (help !== null) {
      await io.stdout.write(help);
      return 0;
    }
    const flags = command.opts<{ json?: true; quiet?: true; ledger?: string }>();
    const context = createContext(io, globalFlags(flags), invoke);
    return await module.run(context, command);
  } catch (fault) {
    return report(fault, io, asked);
  }
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
