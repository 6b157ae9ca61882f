// The environment port: what every environment can do. All that stands above the lab knows an environment by its
// descriptor and reaches it through this. One contract suite (contract/) runs against every environment.
//
// Whatever an environment yields is determined by what it was asked: the same configuration, split, count and seed give
// the same tasks in the same order on every machine, and the same task and answer the same verdict.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import type { Issue } from '../../../schemas/errors.ts';
import type { Cell, Task } from './task.ts';
import type { Rollout, Try, Verdict } from './verdict.ts';

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

export interface GenerateRequest {
  readonly configuration: Configuration;
  readonly split: Split;
  /** How many tasks. Fewer come only where shortages say so. */
  readonly count: number;
  readonly seed: Seed;
  /** Ends the generator when aborted: it throws the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface ProbeRequest {
  /** What no cell decides is taken from here, the number of agents for example. */
  readonly configuration: Configuration;
  readonly split: 'probe' | 'probe-holdout';
  /** How many tasks of each cell. */
  readonly perCell: number;
  readonly seed: Seed;
  readonly signal?: AbortSignal;
}

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

export interface Drawing {
  /** For a terminal and for a model that reads: lines without colours. */
  readonly text: string;
  /** For a page: one <svg> element, without scripts and without anything fetched from elsewhere. */
  readonly svg?: string;
}

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
