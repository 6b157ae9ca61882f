// The key of an endpoint: only the request gets it. Printing it, converting it to JSON or inspecting it shows the name
// of its variable.
import { inspect } from 'node:util';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { ModelEntry } from './entries.ts';

export class Secret {
  /** The environment variable it comes from. */
  readonly name: string;
  readonly #value: string;

  constructor(name: string, value: string) {
    this.name = name;
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  /** Removes the key from a text, including partially masked forms. */
  scrub(text: string): string {
    const without = text.replaceAll(this.#value, `${this}`).split(/(\s+)/);
    return without.map((word) => (word.includes('***') ? `${this}` : word)).join('');
  }

  /** For texts that are recorded: only the key itself is replaced, and no placeholder such as EMPTY. */
  removeFrom(text: string): string {
    return this.#value.length < shortestKey ? text : text.replaceAll(this.#value, () => `${this}`);
  }

  toString(): string {
    return `[${this.name}]`;
  }

  toJSON(): string {
    return this.toString();
  }

  [inspect.custom](): string {
    return this.toString();
  }
}

/** Shorter values are placeholders for servers that need no key, and may be words of an answer. */
const shortestKey = 12;

export const longestLine = 300;

/** On one line, short, and without the key. */
export function scrubbedLine(text: string, secret: Secret | null): string {
  const scrubbed = secret === null ? text : secret.scrub(text);
  const line = scrubbed
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .toWellFormed();
  return line.length > longestLine ? `${line.slice(0, longestLine).toWellFormed()}…` : line;
}

export class BadKey extends IcecoreError {
  override readonly name = 'BadKey';

  constructor(model: string, variable: string, found: string) {
    super('bad-input', `the environment variable ${variable}, which has the key of the model ${model}, ${found}`, {
      facts: { model, variable },
      remedy: `Set it: export ${variable}=...`,
    });
  }
}

/** The key that an entry names; null if it needs none. Throws BadKey. */
export function secretOf(
  { name, key }: ModelEntry,
  environment: Readonly<Record<string, string | undefined>>,
): Secret | null {
  if (key === null) return null;
  const value = environment[key]?.trim() ?? '';
  if (value === '') throw new BadKey(name, key, 'is not set');
  if (!/^[\x21-\x7e]+$/.test(value)) throw new BadKey(name, key, 'has a character that is not allowed in keys');
  return new Secret(key, value);
}
