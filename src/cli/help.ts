// The first page: what icecore is, its commands by group, and what holds for all of them.
import { globalOptions } from './globals.ts';
import type { Io } from './io.ts';
import { commands, groups } from './manifest.ts';
import { typedHere } from './program.ts';

export function helpText(io: Io): string {
  return `icecore: an event-sourced experiment ledger for reinforcement learning

Usage: icecore COMMAND [OPTIONS]

${groups.map(groupText).join('\n')}
Options, before or after the command:
${rows(globalOptions.map(({ flags, summary }) => [flags, summary] as const))}  ${'-V, --version'.padEnd(width)}show the version

Settings: flags beat ICECORE_HOME and ICECORE_LEDGER, which beat icecore.config.json.
Results go to standard output, prose and progress to standard error. Exit code: 0 done,
1 failed, 2 misused, 130 stopped by Ctrl-C. Help is prose, with --json too.

icecore COMMAND --help tells more, with examples. New here? ${typedHere('Type: icecore demo', io)}
`;
}

const width = 17;

function groupText(group: string): string {
  const own = commands.filter((command) => command.group === group);
  return `${group}\n${rows(own.map(({ name, summary }) => [name, summary] as const))}`;
}

function rows(pairs: readonly (readonly [string, string])[]): string {
  return pairs.map(([left, right]) => `  ${left.padEnd(width)}${right}\n`).join('');
}
