// A command line that cannot be meant, with the nearest thing that can.
import { IcecoreError } from '../../schemas/errors.ts';
import { nearest } from '../../schemas/nearest.ts';
import type { CommandFamily } from './command.ts';
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

export function unknownMember(family: string, { members }: CommandFamily, name: string): IcecoreError {
  const allowed = members.map((member) => member.name);
  const near = nearest(name, allowed);
  return new IcecoreError('usage', `there is no command "${family} ${name}"`, {
    facts: { found: name, allowed, nearest: near },
    remedy: near === null ? `icecore ${family} --help lists what there is.` : `Did you mean icecore ${family} ${near}?`,
  });
}

export function noMember(family: string, { members }: CommandFamily): IcecoreError {
  const allowed = members.map((member) => member.name);
  return new IcecoreError('usage', `${family}: found no command, allowed: ${allowed.join(', ')}`, {
    facts: { allowed },
    remedy: `icecore ${family} --help shows what they do.`,
  });
}

/** For what stands before the command, or in its place; `otherwise` where nothing in it is unknown. */
export function unknownOption(words: readonly string[], otherwise = nothingAsked(words)): IcecoreError {
  const allowed = [...globalOptions.flatMap(({ flags }) => flags.match(/-[-a-z]+/g) ?? []), '--version', '-V'];
  const given = words.filter((word) => word.startsWith('-')).map((word) => word.replace(/=.*/s, ''));
  const found = given.find((word) => !allowed.includes(word));
  if (found === undefined) return otherwise;
  const near = nearest(found, allowed);
  return new IcecoreError('usage', `there is no option "${found}" before a command`, {
    facts: { found, allowed, nearest: near },
    remedy: near === null ? 'icecore --help lists the options.' : `Did you mean ${near}?`,
  });
}

function nothingAsked(words: readonly string[]): IcecoreError {
  return new IcecoreError('usage', `no command after ${words.join(' ')}`, {
    facts: { allowed: commands.map((command) => command.name) },
    remedy: 'icecore --help lists the commands.',
  });
}
