// An engineer in the fewest words: what it reads, and what it proposes.

import type { Proposal, ProposalRequest, Reason } from '../../lab/engineers/engineer.ts';
import type { Configuration } from '../../lab/environments/environment.ts';
import type { DefinedEnvironment } from './environment.ts';

/** A whole configuration; reasons name knobs, and cite evidence ids of the context. What is left out is recorded as left out. */
export interface ProposalOf<Settings = Configuration> {
  readonly configuration: Settings;
  readonly reasons?: readonly (Pick<Reason, 'knob'> & Partial<Reason>)[];
  /** Knobs that it keeps on purpose. */
  readonly kept?: readonly (Pick<Reason, 'knob'> & Partial<Reason>)[];
  readonly predictions?: Proposal['predictions'];
  readonly rationale?: string;
}

/** What it is asked, with configurations of the environment it is for. */
export interface RequestOn<Settings> extends Omit<ProposalRequest, 'current' | 'first'> {
  /** The configuration in force, and that of the first stage. */
  readonly current: Settings;
  readonly first: Settings;
}

/** What `defineEngineer` takes. */
export interface EngineerDefinition<Settings = Configuration> {
  readonly name: string;
  /** Another one where it decides otherwise about the same. */
  readonly version?: string;
  /** What it is, in a few words. */
  readonly summary: string;
  /** The modules of a context that it can use; left out: none, and it is shown nothing. */
  readonly reads?: readonly string[];
  /** The environment it is for; left out: any, and nothing is known of what a configuration has. */
  readonly on?: DefinedEnvironment<Settings>;
  /** How long a proposal may take; 600 where it is left out. */
  readonly seconds?: number;

  /** Decides on the configuration of the next stage. */
  propose(
    request: RequestOn<NoInfer<Settings>>,
  ): ProposalOf<NoInfer<Settings>> | Promise<ProposalOf<NoInfer<Settings>>>;
}

export type AnyEngineerDefinition = EngineerDefinition<Configuration>;
