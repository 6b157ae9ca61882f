// What becomes of a plan: valid at a cost, or all the ways in which it failed.
import type { Cell } from './instance.ts';

/** The ways to fail. Of those at one step, the first in this order names what became of the plan. */
export const failureClasses = [
  'parse-error', // the answer is no plan, or has moves for more agents than there are
  'missing-agent', // there are no moves for an agent
  'off-grid', // a move leads off the grid; the agent stays where it is
  'hole', // an agent enters a hole; it is out of the game from then on
  'vertex-conflict', // agents come to share a cell
  'swap-conflict', // two agents change places
  'goal-missed', // the moves of an agent on the ice end elsewhere than on its goal
  'horizon', // there are moves beyond the horizon
  'truncated', // the text of the answer was cut, and what is left of it is no valid plan
] as const;

export type FailureClass = (typeof failureClasses)[number];

export interface Failure {
  readonly class: FailureClass;
  /** The first moves are step 1. What concerns the answer rather than a move is step 0. */
  readonly step: number;
  /** By their number from 0, ascending; none where it is the answer as a whole. */
  readonly agents: readonly number[];
  readonly cell: Cell | null;
  /** Of a parse-error: what was found where, and what is allowed. */
  readonly words?: string;
}

export interface Judgement {
  /** `valid`, or the class of the first failure. */
  readonly outcome: 'valid' | FailureClass;
  /** Of a valid plan: the sum over agents of the step at which each arrives for good. */
  readonly cost: number | null;
  /** The last step at which an agent on the ice had a move; the horizon at most. */
  readonly steps: number;
  /** By step, then by class, then by agent. */
  readonly failures: readonly Failure[];
}
