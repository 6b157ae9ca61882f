// A command line that cannot be meant, with the nearest thing that can.
import { IcecoreError } from '../../schemas/errors.ts';
import { nearest } from '../../schemas/nearest.ts';
import { globalOptions } from './globals.ts';
import { commands } from './manifest.ts';

export function unknownCommand(name: string): IcecoreError {
  const allowed = commands.map((command) => command.name);
  const near = nearest(name, allowed);
  return new IcecoreError('usage', `there is no command "${name}"`, {
    facts: { found: name, allowed, nearest: near },
    remedy: near === null ? 'icecore --help lists the commands.' : `Did you mean icecore ${near}?`,
  });
}

/** For what stands before the command, or in its place. */
export function unknownOption(words: readonly string[]): IcecoreError {
  const allowed = [...globalOptions.flatMap(({ flags }) => flags.match(/-[-a-z]+/g) ?? []), '--version', '-V'];
  const given = words.filter((word) => word.startsWith('-')).map((word) => word.replace(/=.*/s, ''));
  const found = given.find((word) => !allowed.includes(word));
  if (found === undefined) return nothingAsked(words.join(' '));
  const near = nearest(found, allowed);
  return new IcecoreError('usage', `there is no option "${found}" before a command`, {
    facts: { found, allowed, nearest: near },
    remedy: near === null ? 'icecore --help lists the options.' : `Did you mean ${near}?`,
  });
}

function nothingAsked(found: string): IcecoreError {
  return new IcecoreError('usage', `no command after ${found}`, {
    facts: { allowed: commands.map((command) => command.name) },
    remedy: 'icecore --help lists the commands.',
  });
}
