// The definition of a context module: its meaning, and what it says about a run up to a stage.

import type { ContextContent, ContextHistory, ContextModuleEntry } from '../../lab/context-modules.ts';
import type { Configuration } from '../../lab/environments/environment.ts';
import type { DefinedEnvironment } from './environment.ts';

/** What `defineContextModule` takes. */
export interface ContextModuleDefinition<Settings = Configuration> {
  /** With a dot in it, as `acme.trend`; icecore's own names have none. */
  readonly name: string;
  /** Change it when the output for the same history changes. */
  readonly version?: string;
  /** Its purpose, in a few words; the heading of its section for engineers. */
  readonly meaning: string;
  /** The environment it is for; by default any, with configurations of unknown shape. */
  readonly on?: DefinedEnvironment<Settings>;
  /** Time limit in seconds (default 60). */
  readonly seconds?: number;

  /** Must be deterministic: no clock, no random numbers, no other input. */
  build(history: ContextHistory<NoInfer<Settings>>): ContextContent | Promise<ContextContent>;
}

export type AnyContextModuleDefinition = ContextModuleDefinition<Configuration>;

/** A registered module. `plugin`: its plugin, for messages. */
export interface DefinedContextModule extends Omit<ContextModuleEntry, 'build'> {
  /** What the module says about a run up to a stage. */
  build(history: ContextHistory, plugin?: string): Promise<ContextContent>;
}
