// A task: one thing to be solved, with what its generator knows of it.
import { digestOf } from './digest.ts';

/** Numbers and yes-or-no by name: holes, needsWait, optimalCost. The descriptor may say what they mean. */
export type TaskFacts = Readonly<Record<string, number | boolean>>;

/** Part of the knob space: a family, and what else tells cells apart, as in `{"agents": 3, "wait": true}`. */
export interface Cell {
  /** Null: not of one family. */
  readonly family: string | null;
  readonly conditions?: Readonly<Record<string, string | number | boolean>>;
}

export interface Task {
  /** A name of its own within what was generated together. */
  readonly id: string;
  /** One of the descriptor's families. */
  readonly family: string;
  /** The thing itself, as JSON: all that is needed to judge an answer, and all that makes it this task and no other. */
  readonly instance: Readonly<Record<string, unknown>>;
  /** SHA-256 of the canonical JSON of `instance`, where the environment has it at hand; `taskDigest` has it always. */
  readonly digest?: string;
  /** Equal for tasks that are the same, turned or mirrored. */
  readonly symmetryDigest?: string;
  readonly facts: TaskFacts;
  /** In a pool that is laid out in cells: what beside its family tells its cell from the others. */
  readonly conditions?: NonNullable<Cell['conditions']>;
}

export function taskDigest({ digest, instance }: Task): string {
  return digest ?? digestOf(instance);
}

/** The digest of a suite, of its tasks in order: results on suites of the same digest may be compared for ever. */
export function suiteDigest(tasks: Iterable<Task>): string {
  return digestOf(Array.from(tasks, taskDigest));
}
