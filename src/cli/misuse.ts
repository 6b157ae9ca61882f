// Errors for unknown commands and options, with the nearest known name.
import { IcecoreError } from '../../schemas/errors.ts';
import { nearest } from '../../schemas/nearest.ts';
import { globalOptions } from './globals.ts';
import type { Commands } from './registry.ts';

export function unknownCommand(name: string, { all, firstWords }: Commands): IcecoreError {
  const near = nearest(name, firstWords) ?? sameStem(name, firstWords);
  // The second word of a command alone means that command.
  const secondWords = all.flatMap((command) => command.name.split(' ')[1] ?? []);
  const [whole] = all.filter((command) => command.name.endsWith(` ${nearest(name, secondWords) ?? name}`));
  const meant = near ?? whole?.name ?? null;
  return new IcecoreError('usage', `there is no command "${name}"`, {
    facts: { found: name, allowed: all.map((command) => command.name), nearest: meant },
    remedy: meant === null ? 'icecore help all lists the commands.' : `Did you mean icecore ${meant}?`,
  });
}

const shortestStem = 5;

/** `ablate` for `ablation`, `compare` for `comparison`. */
function sameStem(name: string, words: readonly string[]): string | null {
  const stem = name.slice(0, shortestStem);
  return stem.length < shortestStem ? null : (words.find((word) => word.startsWith(stem)) ?? null);
}

export function unknownMember(word: string, name: string, commands: Commands): IcecoreError {
  const allowed = membersOf(word, commands);
  const member = nearest(name, allowed);
  const near = member === null ? nearest(name, commands.firstWords) : `${word} ${member}`;
  return new IcecoreError('usage', `there is no command "${word} ${name}"`, {
    facts: { found: name, allowed, nearest: member },
    remedy: near === null ? `icecore ${word} --help lists the commands.` : `Did you mean icecore ${near}?`,
  });
}

export function noMember(word: string, commands: Commands): IcecoreError {
  const allowed = membersOf(word, commands);
  return new IcecoreError('usage', `${word}: found no command, allowed: ${allowed.join(', ')}`, {
    facts: { allowed },
    remedy: `icecore ${word} --help lists them.`,
  });
}

function membersOf(word: string, commands: Commands): readonly string[] {
  return commands.siblings(word).map(({ name }) => name.slice(word.length + 1));
}

/** For options before the command or instead of one; `otherwise` if all of them are known. */
export function unknownOption(words: readonly string[], otherwise: IcecoreError): IcecoreError {
  const allowed = [...globalOptions.flatMap(({ flags }) => flags.match(/-[-a-z]+/g) ?? []), '--version', '-V'];
  const given = words.filter((word) => word.startsWith('-')).map((word) => word.replace(/=.*/s, ''));
  const found = given.find((word) => !allowed.includes(word));
  if (found === undefined) return otherwise;
  const near = nearest(found, allowed);
  return new IcecoreError('usage', `there is no option "${found}" before a command`, {
    facts: { found, allowed, nearest: near },
    remedy: near === null ? 'icecore help all lists the options.' : `Did you mean ${near}?`,
  });
}

export function noCommand(words: readonly string[], { all }: Commands): IcecoreError {
  return new IcecoreError('usage', `no command after ${words.join(' ')}`, {
    facts: { allowed: all.map((command) => command.name) },
    remedy: 'icecore help all lists the commands.',
  });
}
