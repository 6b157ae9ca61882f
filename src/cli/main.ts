// The way in: from a command line to an exit code (0 done, 1 failed, 2 misused). Help and version are answered from here;
// everything else is loaded when a command asks for it, because people wait for the start of every command.
import { type GlobalFlags, type Parted, partAtName } from './globals.ts';
import { type Io, processIo } from './io.ts';
import { findCommand } from './manifest.ts';

export async function main(argv: readonly string[], io: Io = processIo()): Promise<number> {
  const parted = partAtName(argv);
  const { name } = parted;
  if (name === null) return withoutCommand(parted, io);
  if (name === 'help') return help(parted.after, io);
  if (name === '__complete') return complete(parted.after, io);
  const entry = findCommand(name);
  if (entry === undefined) return misused(parted, io);
  const { runCommand } = await import('./run.ts');
  return runCommand(entry, [...parted.before, ...parted.after], io, main);
}

async function withoutCommand(parted: Parted, io: Io): Promise<number> {
  const first = parted.before.find((word) => !['--json', '--quiet', '-q'].includes(word)) ?? '--help';
  if (first === '--version' || first === '-V') return version(io);
  if (first === '--help' || first === '-h') return help([], io);
  return misused(parted, io);
}

async function version(io: Io): Promise<number> {
  const { icecoreVersion } = await import('./version.ts');
  await io.stdout.write(`icecore ${icecoreVersion()}\n`);
  return 0;
}

async function help(names: readonly string[], io: Io): Promise<number> {
  const [name] = names;
  if (name !== undefined) return main([name, '--help'], io);
  const { helpText } = await import('./help.ts');
  await io.stdout.write(helpText());
  return 0;
}

async function complete(words: readonly string[], io: Io): Promise<number> {
  const completion = await import('./completion/complete.ts');
  return completion.complete(words, io, main);
}

async function misused(parted: Parted, io: Io): Promise<number> {
  const [{ report }, { unknownCommand, unknownOption }] = await Promise.all([
    import('./report.ts'),
    import('./misuse.ts'),
  ]);
  const flags: GlobalFlags = {
    json: [...parted.before, ...parted.after].includes('--json'),
    quiet: false,
  };
  const fault = parted.name === null ? unknownOption(parted.before) : unknownCommand(parted.name);
  return report(fault, io, flags);
}
