// An engineer in the fewest words: what it reads, and what it proposes.

import type { Proposal, ProposalRequest, Reason } from '../../lab/engineers/engineer.ts';
import type { Configuration } from '../../lab/environments/environment.ts';

/** A whole configuration; reasons name knobs, and cite evidence ids of the context. What is left out is recorded as left out. */
export interface ProposalOf {
  readonly configuration: Configuration;
  readonly reasons?: readonly (Pick<Reason, 'knob'> & Partial<Reason>)[];
  /** Knobs that it keeps on purpose. */
  readonly kept?: readonly (Pick<Reason, 'knob'> & Partial<Reason>)[];
  readonly predictions?: Proposal['predictions'];
  readonly rationale?: string;
}

export interface EngineerDefinition {
  readonly name: string;
  /** Another one where it decides otherwise about the same. */
  readonly version?: string;
  /** What it is, in a few words. */
  readonly summary: string;
  /** The modules of a context that it can use; left out: none, and it is shown nothing. */
  readonly reads?: readonly string[];
  /** How long a proposal may take; 600 where it is left out. */
  readonly seconds?: number;

  propose(request: ProposalRequest): ProposalOf | Promise<ProposalOf>;
}
