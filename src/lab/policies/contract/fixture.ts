// What a policy supplies to be held to the contract.
import { listed } from '../../environments/contract/fixture.ts';
import type { Seed, Task } from '../../environments/environment.ts';
import type { Planned, PlanRequest, Policy } from '../policy.ts';

export interface Fixture {
  /** A new policy: nothing is shared with one that was opened before. */
  open(): Promise<Policy>;
  /** Tasks it can plan for, no two of them alike; about twenty. */
  tasks(): Promise<readonly Task[]>;
  /**
   * What becomes of its plans when it is asked with another seed, or for another sample: most policies draw others; one
   * that always plans the same says `same`.
   */
  readonly draws: 'others' | 'same';
  /** Whether it knows a best plan: then greedy ones depend on neither seed nor sample. */
  readonly knowsBest: boolean;
  /** How many plans the tests may ask for at once: some hundred where that takes a blink. */
  readonly many: number;
}

/** One policy for a whole part of the contract, and new ones where a test needs its own. */
export interface Bench extends Omit<Fixture, 'open' | 'tasks'> {
  policy(): Policy;
  another(): Promise<Policy>;
  tasks(): readonly Task[];
}

export const seed: Seed = 'first';

export function plansOf(policy: Policy, request: Omit<PlanRequest, 'seed'> & { seed?: Seed }): Promise<Planned[]> {
  return listed(policy.plan({ seed, ...request }));
}

/** What may not differ between two plans of the same task, sample and seed: all but what another machine has otherwise. */
export function lasting({ measured, ...planned }: Planned): Omit<Planned, 'measured'> {
  return planned;
}

/** What tells one plan from another. */
export const answersOf = (planned: readonly Planned[]): unknown[] => planned.map(({ answer }) => answer);
