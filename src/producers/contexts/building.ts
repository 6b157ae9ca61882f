// What a context is built from.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import type { RunHistory } from '../run/history.ts';
import type { Form } from './forms.ts';

/** A text as events have it. */
type Text = NonNullable<EventData['RolloutRecorded']['completion']>;

export interface Building {
  readonly descriptor: Descriptor;
  /** What it holds beyond the stage has no part in it. */
  readonly history: RunHistory;
  /** The stage that is over. */
  readonly stage: number;
  readonly form: Form;
  /** How many tokens it may have; 0: any number. */
  readonly budget: number;
  /** Evidence ids of items and names of modules that are left out on purpose, as if they had never been there. */
  readonly without?: readonly string[];
  /** Null where it is no more. */
  readonly textOf: (text: Text) => Promise<string | null>;
}
