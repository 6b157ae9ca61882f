// The entry point: from a command line to an exit code (0 done, 1 failed, 2 misused, 130 and 143 stopped). Help and version are
// answered here; everything else is loaded when a command needs it, so that commands start fast.
import type { VersionResult } from '../../schemas/output.ts';
import type { Help } from '../library/plugins/command.ts';
import type { Plugin } from '../library/plugins/plugin.ts';
import { type Parted, partAtName } from './globals.ts';
import { type Io, processIo } from './io.ts';
import type { Commands } from './registry.ts';
import type { Host } from './run.ts';

export async function main(argv: readonly string[], io: Io = processIo()): Promise<number> {
  try {
    return await dispatch(partAtName(argv), io);
  } catch (fault) {
    const { report } = await import('./report.ts');
    return await report(fault, io, { json: argv.includes('--json'), quiet: false });
  }
}

async function dispatch(parted: Parted, io: Io): Promise<number> {
  const { name, before, after } = parted;
  if (name === null) return await withoutCommand(before, io);
  if (name === 'help') return await help(after, io);
  if (name === '__complete') return await complete(after, io);
  if (io.plugins !== undefined) await requirePlugins(io);
  const { runCommand } = await import('./run.ts');
  return await runCommand(name, [...before, ...after], io, hostOf(io));
}

/** Every command refuses wrong plugins of the program that embeds the command line. */
async function requirePlugins(io: Io): Promise<void> {
  const { registryOf } = await import('../library/plugins/plugin.ts');
  registryOf(await loadPlugins(io));
}

function hostOf(io: Io): Host {
  return {
    invoke: main,
    loadPlugins: () => loadPlugins(io),
    loadCommands: async (plugins) => commandsIn(plugins ?? (await loadPlugins(io))),
  };
}

/** The plugins of icecore, then those of the program that embeds the command line. */
async function loadPlugins({ plugins = [] }: Io): Promise<readonly Plugin[]> {
  return [(await import('../../testbed/plugin.ts')).testbed, ...plugins];
}

async function commandsIn(plugins: readonly Plugin[]): Promise<Commands> {
  const { commandsOf } = await import('../library/plugins/commands.ts');
  const { Commands } = await import('./registry.ts');
  const help = Object.assign({}, ...plugins.map(({ commandHelp }) => commandHelp)) as Record<string, Help>;
  return new Commands(commandsOf(plugins), help);
}

async function withoutCommand(words: readonly string[], io: Io): Promise<number> {
  const first = words.find((word) => !['--json', '--quiet', '-q', '--no-config'].includes(word)) ?? '--help';
  if (first === '--version' || first === '-V') return await version(io, words.includes('--json'));
  if (first === '--help' || first === '-h') return await help([], io);
  const { noCommand, unknownOption } = await import('./misuse.ts');
  throw unknownOption(words, noCommand(words, await commandsIn(await loadPlugins(io))));
}

async function version(io: Io, asJson: boolean): Promise<number> {
  const { icecoreVersion } = await import('../library/version.ts');
  const result: VersionResult = { version: icecoreVersion() };
  await io.stdout.write(asJson ? `${JSON.stringify(result)}\n` : `icecore ${result.version}\n`);
  return 0;
}

async function help(names: readonly string[], io: Io): Promise<number> {
  const [name, ...further] = names.filter((word) => word !== '--help');
  if (name !== undefined && name !== 'all') {
    return await dispatch({ before: [], name, after: [...further, '--help'] }, io);
  }
  const { allCommands, firstScreen } = await import('./help.ts');
  if (name === 'all') await io.stdout.write(allCommands(io, await commandsIn(await loadPlugins(io))));
  else await io.stdout.write(firstScreen(io, (await import('../library/place/workspace-folder.ts')).workspaceLine(io)));
  return 0;
}

async function complete(words: readonly string[], io: Io): Promise<number> {
  const completion = await import('./completion/complete.ts');
  return await completion.complete(words, io, hostOf(io));
}
