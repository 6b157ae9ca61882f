// A module of a context in the fewest words: what it is for, and what it says of a run up to a stage.

import type { ContextContent, ContextHistory, ContextModuleEntry } from '../../lab/context-modules.ts';
import type { Configuration } from '../../lab/environments/environment.ts';
import type { DefinedEnvironment } from './environment.ts';

/** What `defineContextModule` takes. */
export interface ContextModuleDefinition<Settings = Configuration> {
  /** With a dot in it, as `acme.trend`: icecore's own have none, and never will. */
  readonly name: string;
  /** Another one where it says something else of the same history. */
  readonly version?: string;
  /** What it is for, in a few words: engineers read it as the heading of its section. */
  readonly meaning: string;
  /** The environment it is for, whose runs alone it speaks of; left out: any, and nothing is known of what a configuration has. */
  readonly on?: DefinedEnvironment<Settings>;
  /** How long it may take; 60 where it is left out. */
  readonly seconds?: number;

  /** The same for the same history: no clock, no chance, nothing else that is read. */
  build(history: ContextHistory<NoInfer<Settings>>): ContextContent | Promise<ContextContent>;
}

export type AnyContextModuleDefinition = ContextModuleDefinition<Configuration>;

/** What is registered. `plugin`: whose it is, for messages. */
export interface DefinedContextModule extends Omit<ContextModuleEntry, 'build'> {
  /** What the module says of a run up to a stage. */
  build(history: ContextHistory, plugin?: string): Promise<ContextContent>;
}
