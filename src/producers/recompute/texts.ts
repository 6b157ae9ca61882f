// Texts of what was recorded, as they are read while it is computed again: also which were erased, since what rests on
// them cannot be computed any more.
import type { EventData } from '../../../schemas/catalogue.ts';

export type Text = NonNullable<EventData['RolloutRecorded']['completion']>;

export type TextOf = (text: Text) => Promise<string | null>;

export class Texts {
  readonly #textOf: TextOf;
  /** Whether a text that was asked for is no more. */
  isLost = false;

  constructor(textOf: TextOf) {
    this.#textOf = textOf;
  }

  readonly of: TextOf = async (text) => {
    const found = await this.#textOf(text);
    if (found === null) this.isLost = true;
    return found;
  };

  /** The same data, its text in it wherever it stands. */
  async whole<Data extends { readonly text: Text | null }>(data: Data): Promise<Data> {
    const { text } = data;
    if (text === null || 'text' in text) return data;
    const found = await this.of(text);
    return found === null ? data : { ...data, text: { text: found } };
  }
}
