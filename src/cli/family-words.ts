// A member of a family that is asked for by an option: `icecore export --bundle RUN` is `icecore export bundle RUN`.
import type { CommandFamily } from './command.ts';

export function withNameFirst({ alsoCalled = {} }: CommandFamily, words: readonly string[]): readonly string[] {
  for (const [index, word] of words.entries()) {
    if (word === '--') break;
    const [option = '', ...value] = word.split('=');
    const name = Object.hasOwn(alsoCalled, option) ? alsoCalled[option] : undefined;
    if (name === undefined) continue;
    const own = value.length === 0 ? [] : [value.join('=')];
    return [name, ...words.slice(0, index), ...own, ...words.slice(index + 1)];
  }
  return words;
}
