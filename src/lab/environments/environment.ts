// The environment port. Code outside the lab knows an environment only by its descriptor and through this interface.
// One contract suite (contract/) runs against every environment.
//
// All results are deterministic: the same configuration, split, count and seed give the same tasks in the same order on
// every machine, and the same task and answer give the same verdict.

import { hash } from 'node:crypto';
import { canonicalJson } from '../../../schemas/canonical.ts';
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor, Knob } from '../../../schemas/environment.ts';
import { describeIssues, IcecoreError, type Issue, UnknownName } from '../../../schemas/errors.ts';
import { didYouMean, nearestNames } from '../../../schemas/nearest.ts';

/**
 * A configuration: one JSON object. The descriptor says where its knobs are; everything else in it belongs to the
 * environment.
 */
export type Configuration = Readonly<Record<string, unknown>>;

/**
 * What a task may be used for. A task belongs to one split for ever, independent of configurations and seeds: no task
 * of one split appears in another, not even rotated or mirrored if the environment knows symmetries. Benchmark suites
 * are `test`; the pool shown to engineers is `probe`, its hidden half `probe-holdout`.
 */
export type Split = EventData['RolloutRecorded']['split'];

/** The seed of all random choices, any text. Another seed gives other tasks. */
export type Seed = string;

/** Which tasks to generate: the configuration, the split and the number of tasks. */
export interface GenerateRequest {
  readonly configuration: Configuration;
  readonly split: Split;
  /** The number of tasks. Fewer tasks are always reported as shortages. */
  readonly count: number;
  readonly seed: Seed;
  /** Aborts the generator, which then throws the signal's reason. */
  readonly signal?: AbortSignal;
}

/** How to generate the probe pool: which half, and how many tasks per cell. */
export interface ProbeRequest {
  /** Decides what the cells leave open, such as the number of agents. */
  readonly configuration: Configuration;
  readonly split: 'probe' | 'probe-holdout';
  /** The number of tasks per cell. */
  readonly perCell: number;
  readonly seed: Seed;
  readonly signal?: AbortSignal;
}

/** Tasks for an environment that runs the policy itself, and the policy. */
export interface RolloutRequest {
  readonly tasks: readonly Task[];
  /** The number of tries per task. */
  readonly samples: number;
  /** The policy, in terms that the environment understands. */
  readonly policy: { readonly name: string; readonly checkpoint?: string; readonly parameters?: Configuration };
  readonly seed: Seed;
  readonly signal?: AbortSignal;
}

/** Yields tasks as they are made, and returns the shortages. */
export type Tasks = AsyncGenerator<Task, readonly Shortage[], undefined>;

/** A cell with fewer tasks than requested. Tasks are never missing silently. */
export interface Shortage {
  readonly cell: Cell;
  readonly asked: number;
  readonly achieved: number;
  /** The number of tasks from other cells that replace the missing ones. */
  readonly standIns?: number;
  /** The reason, as a sentence. */
  readonly says: string;
}

/** A named benchmark that never changes. */
export interface Suite {
  readonly name: string;
  readonly meaning?: string;
  /** Its seed; a string of digits if it is wider than 53 bits. */
  readonly seed?: number | string;
  /** The number of its tasks. */
  readonly tasks: number;
  /** Its other parameters. */
  readonly parameters?: Configuration;
}

/** A picture of a task as text and, if the environment supports it, as SVG. */
export interface Drawing {
  /** For terminals and language models: lines without colours. */
  readonly text: string;
  /** For pages: one <svg> element without scripts or external resources. */
  readonly svg?: string;
  /** For pages: the same in motion, as one <svg> element that moves without scripts. */
  readonly animation?: string;
  /** For pages that step through an answer: the start, then one picture per step up to the end or the failure. */
  readonly frames?: readonly Frame[];
}

/** A task at one step of an answer. */
export interface Frame {
  /** One <svg> element without scripts or external resources; all frames of a drawing have the same size. */
  readonly svg: string;
  /** What happens in it, as a short caption: `step 3: b falls into a hole`. */
  readonly says: string;
}

/** An open environment: it generates tasks and judges answers. Close it after use. */
export interface Environment {
  readonly descriptor: Descriptor;

  /** The default configuration of a new run. It passes `check`. */
  readonly start: Configuration;

  /** In display order. */
  readonly suites: readonly Suite[];

  /** All issues of a configuration, whatever the input; empty if it is valid. */
  check(configuration: unknown): readonly Issue[];

  /**
   * Tasks for training and other uses of a configuration. In the split `train` a task may repeat if there are too few
   * different ones; in other splits it may not.
   *
   * Throws BadConfiguration if `check` reports issues.
   */
  generate(request: GenerateRequest): Tasks;

  /**
   * The probe pool: `perCell` tasks of every possible cell, whatever its share of the training data, so that there is
   * evidence about untrained cells as well. No task repeats. Family knobs have no effect: configurations that differ
   * only in them have the same pool.
   */
  probe(request: ProbeRequest): Tasks;

  /** The tasks of a suite. Throws UnknownSuite, which names similar suites. */
  suite(name: string, signal?: AbortSignal): Tasks;

  /**
   * One verdict per try, in order. Tries are read ahead up to a limit, so their number is unbounded; when the consumer
   * stops, no more are read. Invalid answers have a verdict too: no answer makes `judge` throw.
   */
  judge(tries: Iterable<Try> | AsyncIterable<Try>, signal?: AbortSignal): AsyncGenerator<Verdict, void, undefined>;

  /** A picture of the task, optionally with an answer and its verdict. */
  draw?(task: Task, answer?: unknown, verdict?: Verdict): Promise<Drawing>;

  /**
   * The best answer to a task that the environment can find within a few seconds, as `judge` takes it; null if it finds none. The
   * signal aborts the search, which then throws its reason.
   */
  solve?(task: Task, signal?: AbortSignal): Promise<unknown>;

  /** The prompt for a language policy: the task, the rules and the answer format. */
  prompt?(task: Task): Promise<string>;

  /** Judged rollouts by an environment that runs the policy itself, in the order of tasks and samples. */
  rollout?(request: RolloutRequest): AsyncGenerator<Rollout, void, undefined>;

  /** Releases all resources: generators in progress end, and later calls throw EnvironmentClosed. */
  close(): Promise<void>;
}

// Tasks and what their generator knows about them.

/** Numbers and booleans by name: holes, needsWait, optimalCost. The descriptor may explain them. */
export type TaskFacts = Readonly<Record<string, number | boolean>>;

/** A part of the knob space: a family and further conditions, as in `{"agents": 3, "wait": true}`. */
export interface Cell {
  /** Null: not specific to a family. */
  readonly family: string | null;
  readonly conditions?: Readonly<Record<string, string | number | boolean>>;
}

/** One problem to solve, with what its generator knows about it. */
export interface Task {
  /** Unique within one generated set. */
  readonly id: string;
  /** One of the descriptor's families. */
  readonly family: string;
  /** The problem as JSON: everything that an answer is judged by and that identifies the task. */
  readonly instance: Readonly<Record<string, unknown>>;
  /**
   * SHA-256 of the canonical JSON of `instance`, if the environment already has it; `taskDigest` computes it otherwise.
   */
  readonly digest?: string;
  /** Equal for tasks that differ only by rotation or mirroring. */
  readonly symmetryDigest?: string;
  readonly facts: TaskFacts;
  /** In a pool of cells: the conditions of its cell other than the family. */
  readonly conditions?: NonNullable<Cell['conditions']>;
}

/** The digest that identifies a task: its own if it has one, otherwise computed from its instance. */
export function taskDigest({ digest, instance }: Task): string {
  return digest ?? digestOf(instance);
}

// Answers and verdicts, and rollouts of environments that run policies themselves.

/** An answer to a task, to be judged by the environment. */
export interface Try {
  readonly task: Task;
  /** Any JSON: the text of a language policy, or for example the moves of another one. */
  readonly answer: unknown;
  /** The text was truncated. */
  readonly truncated?: boolean;
}

/** A number, or null with the reason. */
export type Score = number | { readonly value: null; readonly reason: string };

/** One thing that went wrong in an answer. */
export interface Failure {
  /** One of the descriptor's failure classes. */
  readonly class: string;
  /** The step at which it happened, from 1. */
  readonly step?: number;
  /** A description, as a sentence. */
  readonly message?: string;
  /** Further details: agents, cell, line. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A verdict on a valid try. */
export interface Judged {
  /** One of the descriptor's outcomes. */
  readonly outcome: string;
  /** Whether it counts as solved. */
  readonly success: boolean;
  /** In chronological order; the first one classifies the rollout. Empty if and only if the try is a success. */
  readonly failures: readonly Failure[];
  /** Further measurements: cost, optimal, waits. */
  readonly metrics: Readonly<Record<string, Score>>;
  readonly reward?: Score;
  /** The parsed answer, if it was parsed from a text. */
  readonly understood?: unknown;
}

/** There is no verdict because of a fault that is not the policy's: the rollout is not evidence. */
export interface Spoilt {
  readonly spoilt: { readonly kind: string; readonly message: string };
}

/** The environment's verdict on an answer, or why there is none. */
export type Verdict = Judged | Spoilt;

/** Whether there is no verdict because of a fault that is not the policy's. */
export function isSpoilt(verdict: Verdict): verdict is Spoilt {
  return 'spoilt' in verdict;
}

/** How sure a policy is of an answer, without any ground truth. */
export interface Sureness {
  /** The mean log-probability of its agent steps. */
  readonly logProbability: number;
  /** The mean entropy of its choices, in nats. */
  readonly entropy: number;
  /** The expected reward, if it has an estimate. */
  readonly value?: number;
}

/** A try that the environment ran itself, with its verdict. */
export interface Rollout extends Try {
  /** The index among the tries of the same task, from 0. */
  readonly sample: number;
  readonly verdict: Verdict;
  readonly prompt?: string;
  /** The policy's output, if the answer was parsed from a text. */
  readonly completion?: string;
  readonly stopReason?: string;
  readonly tokens?: { readonly input?: number; readonly output?: number };
  /** The number of actions of the agents. */
  readonly agentSteps?: number;
  readonly sureness?: Sureness;
}

// Errors of any environment.

/** A configuration from which nothing can be generated. */
export class BadConfiguration extends IcecoreError {
  override readonly name = 'BadConfiguration';
  readonly issues: readonly Issue[];

  /** `start` and `knobs` show the form of a configuration to whoever wrote the wrong one. */
  constructor(environment: string, issues: readonly Issue[], start?: Configuration, knobs: readonly Knob[] = []) {
    const knob = knobs.find(({ name }) => issues.some(({ field }) => field === name || field === `["${name}"]`));
    const meant = knob === undefined ? '' : `The knob ${knob.name} is at ${knob.path.join(' > ')}. `;
    super('bad-input', `the configuration of ${environment}: ${describeIssues(issues, 'the whole')}`, {
      facts: { environment, issues },
      ...(start === undefined ? {} : { remedy: `${meant}The default configuration is ${JSON.stringify(start)}` }),
    });
    this.issues = issues;
  }
}

/** Thrown for an unknown suite; it lists similar names. */
export class UnknownSuite extends UnknownName {
  override readonly name = 'UnknownSuite';

  constructor(environment: string, suite: string, known: readonly string[]) {
    const near = nearestNames(suite, known);
    super(suite, `${environment} has no suite "${suite}"`, {
      facts: { environment, suite, known, nearest: near },
      remedy: didYouMean(near, whichThereAre(known)),
    });
  }
}

function whichThereAre(suites: readonly string[]): string {
  return suites.length === 0 ? 'It has none.' : `There are ${suites.join(', ')}.`;
}

/** Thrown when an environment is used after it was closed. */
export class EnvironmentClosed extends IcecoreError {
  override readonly name = 'EnvironmentClosed';

  constructor(environment: string) {
    super('internal', `the environment ${environment} is closed`, { facts: { environment } });
  }
}

// Digests of values: SHA-256 of canonical JSON, as everywhere in icecore.

/** SHA-256 of the canonical JSON of a value, in hexadecimal. Throws NotCanonical for values that JSON cannot hold. */
export function digestOf(value: unknown): string {
  return hash('sha256', canonicalJson(value));
}
