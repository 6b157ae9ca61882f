// Modules of contexts that plugins bring: what they are made from, and what they give. What they are handed is what engineers may know
// and nothing else: no benchmark, no hidden half of the probe pool, nobody's reasons, and no name of a run.
import type { EventData } from '../../schemas/catalogue.ts';
import type { Descriptor } from '../../schemas/environment.ts';
import type { Configuration } from './environments/environment.ts';

/** An event by its id, as its data is read today. */
export type DataOf<Type extends keyof EventData> = { readonly id: string; readonly data: EventData[Type] };

/** A stage as far as it may be shown. Ids are those of events, to be named by items. */
export interface HistoryStage<Settings = Configuration> {
  readonly stage: number;
  readonly configuration: Settings | null;
  /** The decision it was configured by. */
  readonly adopted: { readonly id: string; readonly by: EventData['ConfigAdopted']['by'] } | null;
  readonly training: DataOf<'TrainingRecorded'> | null;
  /** On tasks that are never trained on, the same at every stage. */
  readonly validation: DataOf<'EvaluationRecorded'> | null;
  /** What its rollouts and its training add up to, one for each module of icecore that sums up a stage. */
  readonly summaries: readonly DataOf<'SummaryRecorded'>[];
}

/** A run up to the end of a stage. Nothing of it can be changed. */
export interface ContextHistory<Settings = Configuration> {
  readonly descriptor: Descriptor;
  /** The stage that is over. */
  readonly stage: number;
  /** How many are planned; null where nobody said. */
  readonly planned: number | null;
  /** Of each stage, by unit. */
  readonly budget: Readonly<Record<string, number>>;
  /** From the first to the one that is over. */
  readonly stages: readonly HistoryStage<Settings>[];
}

/** What can be cited, and how it reads. */
export interface ContextItem {
  /** Within the module: `8.hole` of the module acme.trend is cited as acme.trend:8.hole. */
  readonly id: string;
  readonly text: string;
  /** The events it rests on, of those that the module was handed. */
  readonly events: readonly string[];
  /** The family it is about. */
  readonly family?: string;
  /** A figure, for engineers that read data: what it measures, and its value. */
  readonly measure?: string;
  readonly value?: number;
}

/** What a module says of a history. */
export interface ContextContent {
  /** What is to be known before the items. */
  readonly opening?: string;
  /** The most valuable first: where there is not room for all, the last ones go. */
  readonly items: readonly ContextItem[];
}

/** A module of a context, as a plugin registers it. */
export interface ContextModuleEntry {
  /** With a dot in it, as `acme.trend`. */
  readonly name: string;
  /** Another one where it says something else of the same history. */
  readonly version: string;
  /** What it is for: the heading of its section, and its line in lists. */
  readonly meaning: string;
  /** What the module says of a run up to a stage. */
  build(history: ContextHistory): Promise<ContextContent>;
}

/** Modules by their names. */
export type ContextModules = ReadonlyMap<string, ContextModuleEntry>;

/** Those of plugins are known by the dot in their names. No evidence id is one: it begins with a capital letter, or has a colon. */
export function isOwnModule(name: string): boolean {
  return /^[a-z][a-z0-9_-]*(?:\.[a-z][a-z0-9_-]*)+$/.test(name) && name.length <= 64;
}
