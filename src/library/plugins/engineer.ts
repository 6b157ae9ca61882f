// The definition of an engineer: what it reads, and what it proposes.

import type { Proposal, ProposalRequest, Reason } from '../../lab/engineers/engineer.ts';
import type { Configuration } from '../../lab/environments/environment.ts';
import type { DefinedEnvironment } from './environment.ts';

/** A whole configuration. Reasons name knobs and cite evidence ids of the context. Missing reasons are recorded as missing. */
export interface ProposalOf<Settings = Configuration> {
  readonly configuration: Settings;
  readonly reasons?: readonly (Pick<Reason, 'knob'> & Partial<Reason>)[];
  /** Knobs it deliberately keeps. */
  readonly kept?: readonly (Pick<Reason, 'knob'> & Partial<Reason>)[];
  readonly predictions?: Proposal['predictions'];
  readonly rationale?: string;
}

/** The request, with configurations of its environment. */
export interface EngineerRequest<Settings> extends Omit<ProposalRequest, 'current' | 'first'> {
  /** The current configuration, and the one of the first stage. */
  readonly current: Settings;
  readonly first: Settings;
}

/** What `defineEngineer` takes. */
export interface EngineerDefinition<Settings = Configuration> {
  readonly name: string;
  /** Change it when its decisions change. */
  readonly version?: string;
  /** What it is, in a few words. */
  readonly summary: string;
  /** The context modules it can use (default: none; it is shown nothing). */
  readonly reads?: readonly string[];
  /** The environments in which it cheats by reading what they hide: an upper bound of what others could reach. */
  readonly upperBoundOf?: readonly string[];
  /** The environment it is for; by default any, with configurations of unknown shape. */
  readonly on?: DefinedEnvironment<Settings>;
  /** Time limit of a proposal in seconds (default 600). */
  readonly seconds?: number;

  /** Decides the configuration of the next stage. */
  propose(
    request: EngineerRequest<NoInfer<Settings>>,
  ): ProposalOf<NoInfer<Settings>> | Promise<ProposalOf<NoInfer<Settings>>>;
}

export type AnyEngineerDefinition = EngineerDefinition<Configuration>;
