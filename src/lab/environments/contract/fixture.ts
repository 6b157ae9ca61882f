// What an environment supplies to be held to the contract.
import {
  type Environment,
  isSpoilt,
  type Judged,
  type Shortage,
  type Task,
  type Tasks,
  type Verdict,
} from '../environment.ts';

export interface Fixture {
  /** A new environment: nothing is shared with one that was opened before. */
  open(): Promise<Environment>;
  /** An answer that is a success. */
  right(task: Task): unknown;
  /** Answers that are none, as different from each other as they can be. */
  wrong(task: Task): readonly unknown[];
  /** What the environment does not offer: then it must refuse it. */
  readonly lacks?: readonly 'probe'[];
  /** How many tasks the tests may ask for at once: a few hundred where that takes a blink. */
  readonly many: number;
}

/** One environment for a whole part of the contract, and new ones where a test needs its own. */
export interface Bench extends Omit<Fixture, 'open'> {
  environment(): Environment;
  another(): Promise<Environment>;
  /** The tasks of a suite of the first environment, which are made once. */
  suite(name: string): Promise<Collected>;
}

export interface Collected {
  readonly tasks: readonly Task[];
  readonly shortages: readonly Shortage[];
}

/** Everything a generator of tasks yields. */
export async function collected(tasks: Tasks): Promise<Collected> {
  const all: Task[] = [];
  for (;;) {
    const next = await tasks.next();
    if (next.done === true) return { tasks: all, shortages: next.value };
    all.push(next.value);
  }
}

export async function listed<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** How many tasks the shortages say are missing. */
export function missingIn(shortages: readonly Shortage[]): number {
  return shortages.reduce((sum, { asked, achieved }) => sum + asked - achieved, 0);
}

export function judgedOf(verdict: Verdict | undefined): Judged {
  if (verdict === undefined || isSpoilt(verdict)) throw new Error(`no judgement: ${JSON.stringify(verdict)}`);
  return verdict;
}
