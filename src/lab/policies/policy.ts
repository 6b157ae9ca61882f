// The policy port: what every policy can do, whether it is a rule, a network trained here or a model behind an endpoint.
// One contract suite (contract/) runs against every policy.
//
// What a policy plans follows from the task, the sample and the seed alone: not from what was planned before, together
// with it, or on how many threads. A model behind an endpoint keeps that as far as its endpoint does; it says so.
import type { EventData } from '../../../schemas/catalogue.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Rollout, Seed, Task, Try, Verdict } from '../environments/environment.ts';

/** A model snapshot, as events name it. */
export type Checkpoint = NonNullable<EventData['TrainingRecorded']['checkpoint']>;

/** What a policy is called and how it is set, as events name it. Never a secret. */
export type PolicyComponent = NonNullable<EventData['RunStarted']['policy']>;

/** Tasks to plan for, how many plans of each, and the seed they are drawn with. */
export interface PlanRequest {
  /** Taken as fast as they can be planned, a bounded number ahead, so that there may be any number of them. */
  readonly tasks: Iterable<Task> | AsyncIterable<Task>;
  /** How often each is tried; 1 unless told otherwise. */
  readonly samples?: number;
  /** The best plan the policy knows, instead of one drawn from what it deems likely; where it knows none, drawn too. */
  readonly greedy?: boolean;
  readonly seed: Seed;
  readonly signal?: AbortSignal;
}

/** How sure a policy is of a plan; no ground truth is in it. */
export interface Sureness {
  /** Mean log-probability of the agent steps it took. */
  readonly logProbability: number;
  /** Mean entropy of its choices, in nats. */
  readonly entropy: number;
  /** What it expects to earn, where it has a notion of it. */
  readonly value?: number;
}

/** One try at a task, with what the policy can say of how it came about. Its answer is null where there is none. */
export interface Planned extends Try {
  /** Which try at the same task, from 0. */
  readonly sample: number;
  /** How many agent steps it took: moves of one agent, tokens. */
  readonly agentSteps?: number;
  readonly sureness?: Sureness;
  readonly spoken?: Spoken;
  /** There is no answer, for a fault that is not the policy's: an endpoint that failed. Such a try is no evidence. */
  readonly fault?: { readonly kind: string; readonly message: string };
  /** As its environment judged it, where it let the policy play by itself. */
  readonly verdict?: Verdict;
  /** What the environment tells of it then: nothing that was asked of a model here. */
  readonly told?: Pick<Rollout, 'prompt' | 'completion' | 'stopReason' | 'tokens'>;
  /** Durations and the like: what another machine would have otherwise. */
  readonly measured?: Readonly<Record<string, unknown>>;
}

/** What a policy that speaks said, in the words of events. */
export type Spoken = Pick<
  EventData['ModelAnswered'],
  'key' | 'model' | 'parameters' | 'context' | 'sample' | 'finishReason' | 'usage' | 'cost'
> & {
  readonly prompt: string;
  readonly completion: string;
  /** What it thought aloud, kept apart from its answer. */
  readonly reasoning?: string;
};

/** A policy that is open: it answers tasks. Close it after use. */
export interface Policy {
  readonly component: PolicyComponent;
  /** The snapshot it plans with; null for a policy that is not trained. */
  readonly checkpoint: Checkpoint | null;
  /** False where it knows no best answer, and all it gives are drawn. */
  readonly canBeGreedy?: boolean;

  /**
   * One plan a task and sample, in the order of tasks and then of samples. When the consumer stops, no more tasks are
   * taken. Aborting throws the signal's reason.
   */
  plan(request: PlanRequest): AsyncGenerator<Planned, void, undefined>;

  /** Releases everything, also what is under way: that and later calls throw PolicyClosed. */
  close(): Promise<void>;
}

// What can go wrong with a policy, whichever it is.

/** Thrown by a policy that is used after it was closed. */
export class PolicyClosed extends IcecoreError {
  override readonly name = 'PolicyClosed';

  constructor(policy: string) {
    super('internal', `the policy ${policy} is closed`, { facts: { policy } });
  }
}
