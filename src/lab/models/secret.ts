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
