// What is done with a line, which is an instance in JSON: it is solved, or the plan in it is judged.
import type { Facts } from '../../../../schemas/errors.ts';

export interface Duty {
  readonly verb: 'solve' | 'judge';
  /** How long an optimum may be looked for, in steps of the solver's search. */
  readonly effort: number;
}

/** A line, parsed. */
export type Fields = Readonly<Record<string, unknown>>;

/** Why a line has no answer. */
export interface Refusal {
  /** The instance's, where that much of the line can be read. */
  readonly id: string | null;
  /** With the field, what was found and what is allowed; null where the line is not even JSON. */
  readonly fault: { readonly message: string; readonly facts: Facts } | null;
}

/** The answer as a line of JSON, or why there is none. */
export type Reply = string | Refusal;

export interface Answered {
  /** One a line, in their order. */
  readonly replies: readonly Reply[];
  /** How long it took. */
  readonly ms: number;
}
