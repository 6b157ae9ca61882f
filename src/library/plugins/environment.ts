// An environment in the fewest words: what its knobs are, how an instance is made for them, and how an answer is judged. icecore makes
// of it what runs need: splits that never meet, a probe pool in cells, shortages, and a check of all that goes in and comes out.
import type { z } from 'zod';
import type { Drawing, Score } from '../../lab/environments/environment.ts';
import type { Random } from '../../lab/random.ts';
import type { EnvironmentEntry, UsualSettings } from '../../lab/registry.ts';

/** A knob of an environment: what it means, and which values it may have. */
export interface KnobDefinition {
  readonly meaning: string;
  /** Ends included. */
  readonly range: readonly [min: number, max: number];
  /** The smallest change that matters. */
  readonly step: number;
  readonly integer?: true;
  readonly harder?: 'more' | 'less';
  /** The failure classes there are more of as it gets harder, likeliest first. */
  readonly provokes?: readonly string[];
  /** The values that cells of the probe pool have; left out: a low one, a high one and one between them. */
  readonly cells?: readonly number[];
}

/** What is the same for all families. */
export interface SettingDefinition extends KnobDefinition {
  /** It is a knob only in a run that names it; in others it has its value in the configuration, and no engineer sees it. */
  readonly optional?: true;
}

/** The shape of a configuration: numbers of each family, with its share of the training tasks, and settings of all of them. */
export type ConfigurationOf<Family extends string, Knob extends string, Setting extends string> = {
  readonly families: { readonly [F in Family]: { readonly [K in Knob | 'share']: number } };
} & { readonly [S in Setting]: number };

/** What is known of a task by whoever judges, draws or plays it; nothing of it can be changed. */
export interface TaskOf<Family extends string, Instance> {
  readonly family: Family;
  readonly instance: Instance;
}

/** The family, the knobs and the random numbers that an instance is made from. */
export interface GenerateOf<Family extends string, Knob extends string, Setting extends string> {
  readonly family: Family;
  /** Those of the family. */
  readonly knobs: { readonly [K in Knob]: number };
  readonly settings: { readonly [S in Setting]: number };
  /** Where every choice comes from: the same task must come of the same random numbers. */
  readonly random: Random;
}

/** What became of an answer, as a definition's `judge` returns it. */
export interface VerdictOf<Outcome extends string, FailureClass extends string, Metric extends string> {
  readonly outcome: Outcome;
  /** In the order they happened, the first names the rollout. None, or left out: the answer is a success. */
  readonly failures?: readonly {
    readonly class: FailureClass;
    readonly step?: number;
    readonly message?: string;
    readonly details?: Readonly<Record<string, unknown>>;
  }[];
  readonly metrics?: { readonly [M in Metric]?: Score };
  readonly reward?: Score;
}

/** A benchmark of an environment: the same tasks for everybody. */
export interface SuiteOf<Knob extends string, Setting extends string> {
  readonly name: string;
  readonly meaning?: string;
  readonly seed: number;
  /** How many tasks of each cell: of every family with every combination of these values. */
  readonly perCell: number;
  readonly cells?: { readonly [K in Knob]?: readonly number[] };
  /** Left out: as in `start`. */
  readonly settings?: { readonly [S in Setting]?: number };
}

/** What `defineEnvironment` returns: it knows the shape of configurations. */
export interface DefinedEnvironment<Settings> extends EnvironmentEntry {
  /** Only for the compiler, which learns from it what whoever redesigns or trains is handed. */
  readonly configuration?: Settings;
}

/** A value, or a promise of it. */
type MaybeLater<Value> = Value | Promise<Value>;

/** Whom to let play. */
export interface PlayerOf {
  readonly name: string;
  /** The file of a checkpoint. */
  readonly checkpoint?: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
}

/** Plays one task for a policy that the environment lets play by itself. */
export type PlayOf<Family extends string, Instance> = (
  task: TaskOf<Family, Instance> & { readonly random: Random },
) => MaybeLater<Played>;

/** An answer that a policy came to. */
export interface Played {
  readonly answer: unknown;
  /** How many steps it took. */
  readonly agentSteps?: number;
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
  /** By name, easiest first, with what they are. */
  readonly families: { readonly [F in Family]: string };
  /** What every family has. A share of the training tasks is not among them: each family has one. */
  readonly knobs: { readonly [K in Knob]: KnobDefinition };
  /** What is the same for all families. */
  readonly settings?: { readonly [S in Setting]: SettingDefinition };
  readonly start: ConfigurationOf<NoInfer<Family>, NoInfer<Knob>, NoInfer<Setting>>;
  /** What may become of an answer. */
  readonly outcomes: { readonly [O in Outcome]: string };
  readonly failureClasses: { readonly [C in FailureClass]: string };
  readonly metrics?: { readonly [M in Metric]: string };
  readonly facts?: { readonly [F in Fact]: string };
  /** How to read a drawing, for who never saw one. */
  readonly drawings?: string;
  readonly usual?: UsualSettings;
  /** All that is needed to judge an answer, as JSON. */
  readonly instance: z.ZodType<Instance>;
  /** What an answer is once it was read; left out: anything. */
  readonly answer?: z.ZodType<Answer>;
  readonly suites?: readonly SuiteOf<NoInfer<Knob>, NoInfer<Setting>>[];
  /** How long a call that promises something may take; 60 where it is left out. */
  readonly seconds?: number;

  /** Null where these numbers led nowhere; others are tried then. */
  generate(request: GenerateOf<Family, Knob, Setting>): MaybeLater<Instance | null>;
  /** Equal for instances that are one task in several guises; left out: no two are. */
  likeness?(instance: Instance): unknown;
  /** What its generator can tell of a task. */
  factsOf?(instance: Instance): { readonly [F in NoInfer<Fact>]: number | boolean };
  /** What an answer in words comes to, before `answer` looks at it. */
  read?(text: string): unknown;
  /** Null: it is no answer at all. */
  judge(
    tried: TaskOf<Family, Instance> & { readonly answer: Answer | null },
  ): MaybeLater<VerdictOf<NoInfer<Outcome>, NoInfer<FailureClass>, NoInfer<Metric>>>;
  /** The task in words, for a policy that reads. */
  prompt?(task: TaskOf<Family, Instance>): MaybeLater<string>;
  /** `answer` as it was given; left out where there is none. */
  draw?(task: TaskOf<Family, Instance> & { readonly answer?: unknown }): MaybeLater<string | Drawing>;
  /** For policies that the environment lets play by themselves: called once for many tasks. */
  player?(policy: PlayerOf): MaybeLater<PlayOf<Family, Instance>>;
}

/** What the code that makes an environment of a definition takes it for. */
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
