// Context modules that plugins provide: their input and output. A module sees only what engineers may know: no
// benchmark suites, no probe-holdout results, no reasons of other engineers and no run name.
import type { EventData } from '../../schemas/catalogue.ts';
import type { Descriptor } from '../../schemas/environment.ts';
import type { Configuration } from './environments/environment.ts';

/** An event's id and its data in the current schema version. */
export type DataOf<Type extends keyof EventData> = { readonly id: string; readonly data: EventData[Type] };

/** A stage as modules see it. Ids are event ids, so that items can refer to them. */
export interface HistoryStage<Settings = Configuration> {
  readonly stage: number;
  readonly configuration: Settings | null;
  /** The decision that configured it. */
  readonly adopted: { readonly id: string; readonly by: EventData['ConfigAdopted']['by'] } | null;
  readonly training: DataOf<'TrainingRecorded'> | null;
  /** On tasks that are never trained on, the same at every stage. */
  readonly validation: DataOf<'EvaluationRecorded'> | null;
  /** Summaries of its rollouts and training, one for each of icecore's summary modules. */
  readonly summaries: readonly DataOf<'SummaryRecorded'>[];
}

/** A run up to the end of a stage. Read-only. */
export interface ContextHistory<Settings = Configuration> {
  readonly descriptor: Descriptor;
  /** The last complete stage. */
  readonly stage: number;
  /** The number of planned stages; null if it is unknown. */
  readonly planned: number | null;
  /** Of each stage, by unit. */
  readonly budget: Readonly<Record<string, number>>;
  /** From the first stage to the last complete one. */
  readonly stages: readonly HistoryStage<Settings>[];
}

/** A statement that can be cited. */
export interface ContextItem {
  /** Unique within the module: `8.hole` of the module acme.trend is cited as acme.trend:8.hole. */
  readonly id: string;
  readonly text: string;
  /** Ids of the events that support it, from the module's input. */
  readonly events: readonly string[];
  /** The family it describes. */
  readonly family?: string;
  /** A figure, for engineers that read data: its measure and value. */
  readonly measure?: string;
  readonly value?: number;
}

/** What a module reports about a history. */
export interface ContextContent {
  /** An introduction before the items. */
  readonly opening?: string;
  /** Most valuable first: the last items are dropped when the context is too long. */
  readonly items: readonly ContextItem[];
}

/** A module of a context, as a plugin registers it. */
export interface ContextModuleEntry {
  /** Contains a dot, as in `acme.trend`. */
  readonly name: string;
  /** Must change whenever the module reports something else about the same history. */
  readonly version: string;
  /** Its purpose, used as the section heading and in lists. */
  readonly meaning: string;
  /** Reports on a run up to a stage. */
  build(history: ContextHistory): Promise<ContextContent>;
}

/** Modules by name. */
export type ContextModules = ReadonlyMap<string, ContextModuleEntry>;

/**
 * Plugin modules have a dot in their names. An evidence id never looks like that: it starts with a capital letter or
 * contains a colon.
 */
export function isOwnModule(name: string): boolean {
  return /^[a-z][a-z0-9_-]*(?:\.[a-z][a-z0-9_-]*)+$/.test(name) && name.length <= 64;
}
