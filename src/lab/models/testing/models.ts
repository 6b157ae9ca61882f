// Models for tests: an entry with overrides, and configuration file defaults.
import type { Answered, Book, Question } from '../conversation.ts';
import { type ModelEntry, modelEntriesOf } from '../entries.ts';
import { Model, type ModelSettings } from '../model.ts';
import { Secret } from '../secret.ts';

/** Longer than any pause, so that the test clock can distinguish timeouts from pauses. */
export const timeout = { connect: 1000, firstByte: 2000, whole: 3000 };

export const secret = new Secret('THE_KEY', 'sk-very-secret');

export function entryOf(url: string, more: object = {}): ModelEntry {
  const entries = modelEntriesOf({ local: { url, model: 'served-model', key: 'THE_KEY', timeout, ...more } });
  return entries.get('local') as ModelEntry;
}

export function modelAt(url: string, more: object = {}, settings: Partial<ModelSettings> = {}): Model {
  return new Model({ entry: entryOf(url, more), secret, ...settings });
}

export function question(content = 'What is two and two?', more: Partial<Question> = {}): Question {
  return { messages: [{ role: 'user', content }], sample: 0, ...more };
}

/** Answers kept in memory. */
export class Notebook implements Book {
  readonly kept = new Map<string, Answered>();

  async find(key: string): Promise<Answered | null> {
    return this.kept.get(key) ?? null;
  }

  async keep(answered: Answered): Promise<void> {
    this.kept.set(answered.key, answered);
  }
}
