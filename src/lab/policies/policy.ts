// The policy port, for rules, networks trained here and models behind endpoints. One contract suite (contract/) runs
// against every policy.
//
// A plan depends only on the task, the sample and the seed, not on earlier plans, batches or threads. A model behind an
// endpoint is as deterministic as its endpoint, and declares that.
import type { EventData } from '../../../schemas/catalogue.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Rollout, Seed, Sureness, Task, Try, Verdict } from '../environments/environment.ts';

/** A checkpoint as recorded in events. */
export type Checkpoint = NonNullable<EventData['TrainingRecorded']['checkpoint']>;

/** A policy's name and settings as recorded in events. Never contains a secret. */
export type PolicyComponent = NonNullable<EventData['RunStarted']['policy']>;

/** Tasks to plan, the number of plans per task, and the seed. */
export interface PlanRequest {
  /** Read ahead up to a limit, so their number is unbounded. */
  readonly tasks: Iterable<Task> | AsyncIterable<Task>;
  /** The number of tries per task (default 1). */
  readonly samples?: number;
  /** The best plan instead of a sampled one; sampled anyway if the policy has no greedy mode. */
  readonly greedy?: boolean;
  readonly seed: Seed;
  readonly signal?: AbortSignal;
}

/** One try at a task, with what the policy reports about it. The answer is null if there is none. */
export interface Planned extends Try {
  /** The index among the tries of the same task, from 0. */
  readonly sample: number;
  /** The number of agent steps: moves of one agent, tokens. */
  readonly agentSteps?: number;
  readonly sureness?: Sureness;
  readonly spoken?: Spoken;
  /**
   * There is no answer because of a fault that is not the policy's, such as a failing endpoint. Such a try is not
   * evidence.
   */
  readonly fault?: { readonly kind: string; readonly message: string };
  /** The verdict, if the environment ran the policy itself. */
  readonly verdict?: Verdict;
  /** The environment's report in that case; no model was asked here. */
  readonly report?: Pick<Rollout, 'prompt' | 'completion' | 'stopReason' | 'tokens'>;
  /** Durations and other values that depend on the machine. */
  readonly measured?: Readonly<Record<string, unknown>>;
}

/** The output of a language policy, in the terms of events. */
export type Spoken = Pick<
  EventData['ModelAnswered'],
  'key' | 'model' | 'parameters' | 'context' | 'sample' | 'finishReason' | 'usage' | 'cost'
> & {
  readonly prompt: string;
  readonly completion: string;
  /** Its reasoning, separate from its answer. */
  readonly reasoning?: string;
};

/** An open policy: it plans answers to tasks. Close it after use. */
export interface Policy {
  readonly component: PolicyComponent;
  /** The checkpoint it uses; null for an untrained policy. */
  readonly checkpoint: Checkpoint | null;
  /** False if it has no greedy mode and all plans are sampled. */
  readonly canBeGreedy?: boolean;

  /**
   * One plan per task and sample, ordered by task, then by sample. When the consumer stops, no more tasks are read.
   * Aborting throws the signal's reason.
   */
  plan(request: PlanRequest): AsyncGenerator<Planned, void, undefined>;

  /** Releases all resources: calls in progress and later calls throw PolicyClosed. */
  close(): Promise<void>;
}

// Errors of any policy.

/** Thrown when a policy is used after it was closed. */
export class PolicyClosed extends IcecoreError {
  override readonly name = 'PolicyClosed';

  constructor(policy: string) {
    super('internal', `the policy ${policy} is closed`, { facts: { policy } });
  }
}
