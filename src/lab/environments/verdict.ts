// What became of an answer: a try, the verdict on it, and rollouts of environments that let a policy play by themselves.
import type { Task } from './task.ts';

export interface Try {
  readonly task: Task;
  /** As the policy gave it: the text of one that speaks, the moves or the number of one that does not. Any JSON. */
  readonly answer: unknown;
  /** The text was cut before its end. */
  readonly truncated?: boolean;
}

/** A number, or null with the reason why there is none. */
export type Score = number | { readonly value: null; readonly reason: string };

export interface Failure {
  /** One of the descriptor's failure classes. */
  readonly class: string;
  /** The step it happened at, from 1. */
  readonly step?: number;
  /** What happened, as a sentence. */
  readonly message?: string;
  /** Where exactly: agents, cell, line. */
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface Judged {
  /** One of the descriptor's outcomes. */
  readonly outcome: string;
  /** Whether it counts as solved. */
  readonly success: boolean;
  /** In the order they happened; the first names the rollout. Empty for a success, and only for one. */
  readonly failures: readonly Failure[];
  /** What else was measured: cost, optimal, waits. */
  readonly metrics: Readonly<Record<string, Score>>;
  readonly reward?: Score;
  /** The answer as it was understood, where it had to be read out of a text. */
  readonly understood?: unknown;
}

/** Nothing can be said about the answer, for a fault that is not the policy's: its rollout is no evidence. */
export interface Spoilt {
  readonly spoilt: { readonly kind: string; readonly message: string };
}

export type Verdict = Judged | Spoilt;

export function isSpoilt(verdict: Verdict): verdict is Spoilt {
  return 'spoilt' in verdict;
}

export interface Rollout extends Try {
  /** Which try at the same task, from 0. */
  readonly sample: number;
  readonly verdict: Verdict;
  readonly prompt?: string;
  /** What the policy said, where the answer was read out of a text. */
  readonly completion?: string;
  readonly stopReason?: string;
  readonly tokens?: { readonly input?: number; readonly output?: number };
  /** How many actions the agents took. */
  readonly agentSteps?: number;
}
