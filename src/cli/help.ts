// The first page: what icecore is, its commands by family, and what holds for all of them.
import { globalOptions } from './globals.ts';
import type { Io } from './io.ts';
import { commands, families } from './manifest.ts';
import { typedHere } from './program.ts';

export function helpText(io: Io): string {
  return `icecore: an event-sourced experiment ledger for reinforcement learning

Usage: icecore COMMAND [OPTIONS]

${families.map(familyText).join('\n')}
Options, before or after the command:
${rows(globalOptions.map(({ flags, summary }) => [flags, summary] as const))}  ${'-V, --version'.padEnd(width)}show the version

Settings: flags beat ICECORE_HOME and ICECORE_LEDGER, which beat icecore.config.json.
Results go to standard output, prose and progress to standard error. Exit code: 0 done,
1 failed, 2 misused, 130 stopped by Ctrl-C. Help is prose, with --json too.

icecore COMMAND --help tells more, with examples. New here? ${typedHere('Type: icecore demo', io)}
`;
}

const width = 17;

function familyText(family: string): string {
  const own = commands.filter((command) => command.family === family);
  return `${family}\n${rows(own.map(({ name, summary }) => [name, summary] as const))}`;
}

function rows(pairs: readonly (readonly [string, string])[]): string {
  return pairs.map(([left, right]) => `  ${left.padEnd(width)}${right}\n`).join('');
}
