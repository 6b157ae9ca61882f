// The definition of an environment: its knobs, how to make an instance for them, and how to judge an answer. icecore adds what runs
// need: disjoint splits, a probe pool in cells, shortages, and checks of all input and output.
import type { z } from 'zod';
import type { Drawing, Score, Sureness } from '../../lab/environments/environment.ts';
import type { Random } from '../../lab/random.ts';
import type { EnvironmentEntry, UsualSettings } from '../../lab/registry.ts';

/** A knob of an environment: its meaning and its range. */
export interface KnobDefinition {
  readonly meaning: string;
  /** Inclusive. */
  readonly range: readonly [min: number, max: number];
  /** The smallest change that matters. */
  readonly step: number;
  readonly integer?: true;
  readonly harder?: 'more' | 'less';
  /** The failure classes that become more frequent as it gets harder, likeliest first. */
  readonly provokes?: readonly string[];
  /** The failure classes that the policy learns to avoid by training on more of it. */
  readonly teaches?: readonly string[];
  /** The values in the cells of the probe pool (default: a low, a middle and a high one). */
  readonly cells?: readonly number[];
}

/** A setting shared by all families. */
export interface SettingDefinition extends KnobDefinition {
  /** A knob only in runs that name it; in others it keeps its value in the configuration, and engineers do not see it. */
  readonly optional?: true;
}

/** The shape of a configuration: the knobs of each family with its share of the training tasks, and settings of the environment. */
export type ConfigurationOf<Family extends string, Knob extends string, Setting extends string> = {
  readonly families: { readonly [F in Family]: { readonly [K in Knob | 'share']: number } };
} & { readonly [S in Setting]: number };

/** A task for judging, drawing and playing; deeply frozen. */
export interface TaskOf<Family extends string, Instance> {
  readonly family: Family;
  readonly instance: Instance;
}

/** What an instance is made from: the family, the knobs and random numbers. */
export interface GenerateOf<Family extends string, Knob extends string, Setting extends string> {
  readonly family: Family;
  /** The knobs of the family. */
  readonly knobs: { readonly [K in Knob]: number };
  readonly settings: { readonly [S in Setting]: number };
  /** The only source of randomness: the same random numbers must make the same task. */
  readonly random: Random;
}

/** The outcome of an answer, as a definition's `judge` returns it. */
export interface VerdictOf<Outcome extends string, FailureClass extends string, Metric extends string> {
  readonly outcome: Outcome;
  /** In the order they happened; the first one classifies the rollout. Empty or missing for a success. */
  readonly failures?: readonly {
    readonly class: FailureClass;
    readonly step?: number;
    readonly message?: string;
    readonly details?: Readonly<Record<string, unknown>>;
  }[];
  readonly metrics?: { readonly [M in Metric]?: Score };
  readonly reward?: Score;
}

/** A benchmark of an environment: a fixed set of tasks. */
export interface SuiteOf<Knob extends string, Setting extends string> {
  readonly name: string;
  readonly meaning?: string;
  readonly seed: number;
  /** Number of tasks in each cell: every family with every combination of these values. */
  readonly perCell: number;
  readonly cells?: { readonly [K in Knob]?: readonly number[] };
  /** Default: as in `start`. */
  readonly settings?: { readonly [S in Setting]?: number };
}

/** The result of `defineEnvironment`, which knows the shape of configurations. */
export interface DefinedEnvironment<Settings> extends EnvironmentEntry {
  /** For type inference only: the type of configurations in engineers and trainers. */
  readonly configuration?: Settings;
}

/** A value, or a promise of it. */
type MaybePromise<Value> = Value | Promise<Value>;

/** The policy that plays. */
export interface PlayerOf {
  readonly name: string;
  /** The file of a checkpoint. */
  readonly checkpoint?: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
}

/** Plays one task for a policy that interacts with the environment. */
export type PlayOf<Family extends string, Instance> = (
  task: TaskOf<Family, Instance> & { readonly random: Random },
) => MaybePromise<PlayResult>;

/** The answer of a policy. */
export interface PlayResult {
  readonly answer: unknown;
  /** The number of steps it took. */
  readonly agentSteps?: number;
  /** How sure the policy was, without knowing whether it was right. */
  readonly sureness?: Sureness;
}

/** What `defineEnvironment` takes. */
export interface EnvironmentDefinition<
  Family extends string,
  Knob extends string,
  Setting extends string,
  Outcome extends string,
  FailureClass extends string,
  Metric extends string,
  Fact extends string,
  Instance extends object,
  Answer,
> {
  readonly name: string;
  readonly version?: string;
  /** What it is, in a few words. */
  readonly summary: string;
  /** By name, easiest first, with their descriptions. */
  readonly families: { readonly [F in Family]: string };
  /** The knobs of every family. The share of training tasks is added to them. */
  readonly knobs: { readonly [K in Knob]: KnobDefinition };
  /** Settings shared by all families. */
  readonly settings?: { readonly [S in Setting]: SettingDefinition };
  readonly start: ConfigurationOf<NoInfer<Family>, NoInfer<Knob>, NoInfer<Setting>>;
  /** The possible outcomes of an answer. */
  readonly outcomes: { readonly [O in Outcome]: string };
  readonly failureClasses: { readonly [C in FailureClass]: string };
  readonly metrics?: { readonly [M in Metric]: string };
  readonly facts?: { readonly [F in Fact]: string };
  /** How to read a drawing, for readers who have never seen one. */
  readonly drawings?: string;
  readonly usual?: UsualSettings;
  /** Everything that is needed to judge an answer, as JSON. */
  readonly instance: z.ZodType<Instance>;
  /** The shape of a parsed answer (default: anything). */
  readonly answer?: z.ZodType<Answer>;
  readonly suites?: readonly SuiteOf<NoInfer<Knob>, NoInfer<Setting>>[];
  /** Time limit of an asynchronous call in seconds (default 60). */
  readonly seconds?: number;

  /** Null if these random numbers make no instance; others are then tried. */
  generate(request: GenerateOf<Family, Knob, Setting>): MaybePromise<Instance | null>;
  /** Equal for instances that are the same task in disguise (default: no two are). */
  likeness?(instance: Instance): unknown;
  /** What the generator reports about a task. */
  factsOf?(instance: Instance): { readonly [F in NoInfer<Fact>]: number | boolean };
  /** Parses an answer in words before `answer` checks it. */
  read?(text: string): unknown;
  /** Null: it is not an answer. */
  judge(
    tried: TaskOf<Family, Instance> & { readonly answer: Answer | null },
  ): MaybePromise<VerdictOf<NoInfer<Outcome>, NoInfer<FailureClass>, NoInfer<Metric>>>;
  /** The task in words, for language models. */
  prompt?(task: TaskOf<Family, Instance>): MaybePromise<string>;
  /** `answer` as given; missing if there is none. */
  draw?(task: TaskOf<Family, Instance> & { readonly answer?: unknown }): MaybePromise<string | Drawing>;
  /** The best answer that can be found in a few seconds; null if none is. Pages show it beside what a policy answered. */
  solve?(task: TaskOf<Family, Instance>): MaybePromise<NoInfer<Answer> | null>;
  /** For policies that interact with the environment: called once for many tasks. */
  player?(policy: PlayerOf): MaybePromise<PlayOf<Family, Instance>>;
}

/** The definition with its type parameters erased. */
export type AnyDefinition = EnvironmentDefinition<
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  object,
  unknown
>;
