// What members of a crew do, and what comes of it.
import type { Facts } from '../../../../schemas/errors.ts';
import type { Split } from '../../environments/environment.ts';

/** With a line, which is an instance in JSON: it is solved, or the plan in it is judged. */
export interface LineDuty {
  readonly verb: 'solve' | 'judge';
  /** How long an optimum may be looked for, in steps of the solver's search. */
  readonly effort: number;
}

/** With a slot of a batch: an instance for it is made. */
export interface MakingDuty {
  readonly verb: 'make';
  readonly split: Split;
  readonly seed: string;
}

export type Duty = LineDuty | MakingDuty;

export interface Answered<Reply> {
  /** One for each thing that was handed over, in their order. */
  readonly replies: readonly Reply[];
  /** How long it took. */
  readonly ms: number;
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

/** To a line: the answer as a line of JSON, or why there is none. */
export type Reply = string | Refusal;
