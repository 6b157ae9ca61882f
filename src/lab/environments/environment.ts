// The environment port: what every environment can do. All that stands above the lab knows an environment by its
// descriptor and reaches it through this. One contract suite (contract/) runs against every environment.
//
// Whatever an environment yields is determined by what it was asked: the same configuration, split, count and seed give
// the same tasks in the same order on every machine, and the same task and answer the same verdict.

import { hash } from 'node:crypto';
import { canonicalJson } from '../../../schemas/canonical.ts';
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import { describeIssue, IcecoreError, type Issue } from '../../../schemas/errors.ts';
import { nearestNames } from '../../../schemas/nearest.ts';

/** A configuration: one JSON object. The descriptor says where its knobs stand; all else in it is the environment's own. */
export type Configuration = Readonly<Record<string, unknown>>;

/**
 * What a task may be used for. A task belongs to one split for ever, by what it is: whatever configurations and seeds
 * were asked for, no task of one split is ever met in another, turned or mirrored neither where the environment knows
 * symmetries. Benchmark suites are `test`; the pool shown to engineers is `probe`, its hidden part `probe-holdout`.
 */
export type Split = EventData['RolloutRecorded']['split'];

/** Where every random choice comes from: any text. Who asks twice for other tasks asks with another seed. */
export type Seed = string;

/** Which tasks to generate: from which configuration, for which split, and how many. */
export interface GenerateRequest {
  readonly configuration: Configuration;
  readonly split: Split;
  /** How many tasks. Fewer come only where shortages say so. */
  readonly count: number;
  readonly seed: Seed;
  /** Ends the generator when aborted: it throws the signal's reason. */
  readonly signal?: AbortSignal;
}

/** How the probe pool is generated: for which half of it, and how many tasks of each cell. */
export interface ProbeRequest {
  /** What no cell decides is taken from here, the number of agents for example. */
  readonly configuration: Configuration;
  readonly split: 'probe' | 'probe-holdout';
  /** How many tasks of each cell. */
  readonly perCell: number;
  readonly seed: Seed;
  readonly signal?: AbortSignal;
}

/** Tasks for an environment to play by itself, and the policy that plays them. */
export interface RolloutRequest {
  readonly tasks: readonly Task[];
  /** How often each is tried. */
  readonly samples: number;
  /** Whom to let play, in words the environment understands. */
  readonly policy: { readonly name: string; readonly checkpoint?: string; readonly parameters?: Configuration };
  readonly seed: Seed;
  readonly signal?: AbortSignal;
}

/** Tasks one by one as they are made, and at the end what could not be met. */
export type Tasks = AsyncGenerator<Task, readonly Shortage[], undefined>;

/** A cell of which there were not as many tasks as asked for. Never silently fewer. */
export interface Shortage {
  readonly cell: Cell;
  readonly asked: number;
  readonly achieved: number;
  /** How many tasks of other cells were given in their place. */
  readonly standIns?: number;
  /** Why, as a sentence. */
  readonly says: string;
}

/** A named benchmark, the same for everybody and for ever. */
export interface Suite {
  readonly name: string;
  readonly meaning?: string;
  /** The seed it is generated with; a digit string where it is wider than 53 bits. */
  readonly seed?: number | string;
  /** How many tasks it has. */
  readonly tasks: number;
  /** What else it is generated with. */
  readonly parameters?: Configuration;
}

/** A picture of a task, as text and, where the environment can draw one, as SVG. */
export interface Drawing {
  /** For a terminal and for a model that reads: lines without colours. */
  readonly text: string;
  /** For a page: one <svg> element, without scripts and without anything fetched from elsewhere. */
  readonly svg?: string;
}

/** An environment that is open: it generates tasks and judges answers. Close it after use. */
export interface Environment {
  readonly descriptor: Descriptor;

  /** The configuration a run begins with unless told otherwise. It passes `check`. */
  readonly start: Configuration;

  /** In the order in which they are shown. */
  readonly suites: readonly Suite[];

  /** Everything that is wrong with a configuration, or with what was handed in as one; empty when it can be used. */
  check(configuration: unknown): readonly Issue[];

  /**
   * Tasks for training and for anything else the configuration shall decide. Within the split `train` a task may come
   * twice where there are not enough different ones; within others it does not.
   *
   * Throws BadConfiguration where `check` has something to say.
   */
  generate(request: GenerateRequest): Tasks;

  /**
   * The probe pool: `perCell` tasks of every cell that can be generated at all, whatever share of the training data the
   * configuration gives it, so that there is evidence about what is not trained. No task comes twice. No knob of a family
   * has a say: two configurations that differ in nothing else have the same pool.
   */
  probe(request: ProbeRequest): Tasks;

  /** The tasks of a suite. Throws UnknownSuite, which names the near ones. */
  suite(name: string, signal?: AbortSignal): Tasks;

  /**
   * One verdict a try, in the order of the tries. Tries are taken as fast as they can be judged, a bounded number ahead,
   * so that there may be any number of them; when the consumer stops, no more are taken. An answer that is nonsense has
   * a verdict too: no answer makes `judge` throw.
   */
  judge(tries: Iterable<Try> | AsyncIterable<Try>, signal?: AbortSignal): AsyncGenerator<Verdict, void, undefined>;

  /** The task as a person can see it, with an answer and what became of it where they are handed in. */
  draw?(task: Task, answer?: unknown, verdict?: Verdict): Promise<Drawing>;

  /** What a policy that reads is told: the task, what is allowed, and how to write the answer. */
  prompt?(task: Task): Promise<string>;

  /** Where the environment lets a policy play by itself: judged rollouts, in the order of tasks and samples. */
  rollout?(request: RolloutRequest): AsyncGenerator<Rollout, void, undefined>;

  /** Releases everything, also what is under way: generators end, and later calls throw EnvironmentClosed. */
  close(): Promise<void>;
}

// A task: one thing to be solved, with what its generator knows of it.

/** Numbers and yes-or-no by name: holes, needsWait, optimalCost. The descriptor may say what they mean. */
export type TaskFacts = Readonly<Record<string, number | boolean>>;

/** Part of the knob space: a family, and what else tells cells apart, as in `{"agents": 3, "wait": true}`. */
export interface Cell {
  /** Null: not of one family. */
  readonly family: string | null;
  readonly conditions?: Readonly<Record<string, string | number | boolean>>;
}

/** One thing to solve, with what its generator knows about it. */
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

/** The digest that identifies a task: its own where it has one, otherwise computed from its instance. */
export function taskDigest({ digest, instance }: Task): string {
  return digest ?? digestOf(instance);
}

// What became of an answer: a try, the verdict on it, and rollouts of environments that let a policy play by themselves.

/** An answer to a task, as it is handed to the environment to be judged. */
export interface Try {
  readonly task: Task;
  /** As the policy gave it: the text of one that speaks, the moves or the number of one that does not. Any JSON. */
  readonly answer: unknown;
  /** The text was cut before its end. */
  readonly truncated?: boolean;
}

/** A number, or null with the reason why there is none. */
export type Score = number | { readonly value: null; readonly reason: string };

/** One thing that went wrong in an answer. */
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

/** A verdict that says what became of an answer. */
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

/** What the environment says of an answer, or that nothing can be said of it. */
export type Verdict = Judged | Spoilt;

/** Whether a verdict says nothing about the answer because of a fault that is not the policy's. */
export function isSpoilt(verdict: Verdict): verdict is Spoilt {
  return 'spoilt' in verdict;
}

/** A try that the environment played by itself, with its verdict. */
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

// What can go wrong between icecore and an environment, whichever it is.

/** A configuration that nothing can be generated from. */
export class BadConfiguration extends IcecoreError {
  override readonly name = 'BadConfiguration';
  readonly issues: readonly Issue[];

  constructor(environment: string, issues: readonly Issue[]) {
    const [first] = issues;
    const text = first === undefined ? 'it cannot be used' : describeConfigurationIssue(first);
    const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
    super('bad-input', `the configuration of ${environment}: ${text}${more}`, { facts: { environment, issues } });
    this.issues = issues;
  }
}

function describeConfigurationIssue(issue: Issue): string {
  return describeIssue({ ...issue, field: issue.field === '' ? 'the whole' : issue.field });
}

/** Thrown when an environment has no suite of the name; it lists the suites whose names are near. */
export class UnknownSuite extends IcecoreError {
  override readonly name = 'UnknownSuite';

  constructor(environment: string, suite: string, known: readonly string[]) {
    const near = nearestNames(suite, known);
    super('not-found', `${environment} has no suite "${suite}"`, {
      facts: { environment, suite, known, nearest: near },
      remedy: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : whichThereAre(known),
    });
  }
}

function whichThereAre(suites: readonly string[]): string {
  return suites.length === 0 ? 'It has none.' : `There are ${suites.join(', ')}.`;
}

/** Thrown by an environment that is used after it was closed. */
export class EnvironmentClosed extends IcecoreError {
  override readonly name = 'EnvironmentClosed';

  constructor(environment: string) {
    super('internal', `the environment ${environment} is closed`, { facts: { environment } });
  }
}

// Digests of values: SHA-256 of canonical JSON, as everywhere in icecore.

/** SHA-256 of the canonical JSON of a value, in hexadecimal. Throws NotCanonical on what JSON cannot hold. */
export function digestOf(value: unknown): string {
  return hash('sha256', canonicalJson(value));
}
