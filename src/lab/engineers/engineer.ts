// The engineer port: an engineer decides between two stages how the environment changes. Rules, models, programs and
// people all get the same request and answer with a whole configuration and reasons, or with something that is not a
// proposal.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Configuration, Seed } from '../environments/environment.ts';
import type { Checkpoint } from '../policies/policy.ts';

/** A person: the run waits and continues after their decision. */
export const humanName = 'human';

type Proposed = EventData['ProposalRecorded'];
type Rejected = EventData['ProposalRejected'];

/** An engineer's identity and settings as recorded in events. Never contains a secret. */
export type Identity = Proposed['engineer'];

/** A figure of a context that can be cited by its evidence id. */
export type Fact = EventData['SummaryRecorded']['facts'][number];
/** A rollout that represents many in a context. */
export type Exemplar = EventData['SummaryRecorded']['exemplars'][number];

/** One module of a context, as data. */
export interface ContextModule {
  readonly module: string;
  readonly facts: readonly Fact[];
  readonly exemplars: readonly Exemplar[];
}

/** The context for an engineer, as text and as data. */
export interface ShownContext {
  readonly digest: string;
  readonly text: string;
  readonly form: EventData['ContextRecorded']['contextForm'];
  readonly modules: readonly ContextModule[];
  /** The evidence ids that may be cited. */
  readonly evidenceIds: ReadonlySet<string>;
}

/** The input of a decision: the last complete stage and the current configuration. */
export interface ProposalRequest {
  readonly descriptor: Descriptor;
  /** The last complete stage, and the number of planned stages if it is known. */
  readonly stage: number;
  readonly stages: number | null;
  /** The current configuration and that of the first stage. */
  readonly current: Configuration;
  readonly first: Configuration;
  /** Null for an engineer that reads no context. */
  readonly context: ShownContext | null;
  /** The checkpoint of the policy after the stage; null if there is none. */
  readonly checkpoint: Checkpoint | null;
  /** The index among several proposals for the same question. */
  readonly sample: number;
  readonly seed: Seed;
  readonly signal?: AbortSignal;
}

/** Why a knob is changed or kept. */
export interface Reason {
  readonly knob: string;
  /** Evidence ids of the context; null if it cites none. */
  readonly cites: readonly string[] | null;
  readonly reason: string | null;
}

/** Answers, usage and cost, in the form that events record. */
export type Spent = Pick<Proposed, 'answers' | 'usage' | 'cost' | 'measured'>;

/** A proposed configuration with its reasons. */
export interface Proposal extends Spent {
  readonly configuration: unknown;
  /** Reasons for changed knobs. A missing reason is recorded as missing. */
  readonly reasons: readonly Reason[];
  /** Knobs that it keeps on purpose; null if it does not say. */
  readonly kept: readonly Reason[] | null;
  readonly predictions: Proposed['predictions'];
  readonly rationale: string | null;
}

/** An answer that is not a proposal. */
export interface NoProposal extends Spent {
  readonly reason: Rejected['reason'];
  readonly issues: Rejected['issues'];
  readonly raw: Rejected['raw'];
}

/** A proposal, or why there is none. */
export type Answer = { readonly proposal: Proposal } | { readonly rejected: NoProposal };

/** An open engineer, which proposes configurations. Close it after use. */
export interface Engineer {
  readonly identity: Identity;
  /** The context modules it can use; empty for an engineer that sees no context. */
  readonly reads: readonly string[];
  /**
   * Modules among them that are useful only together with another one: shown nothing else, it decides as if shown
   * nothing.
   */
  readonly readsBeside?: readonly string[];

  /** Throws EngineerFailed if its program or endpoint cannot answer. Aborting throws the signal's reason. */
  propose(request: ProposalRequest): Promise<Answer>;

  /** Releases all resources and stops requests in progress. */
  close(): Promise<void>;
}

// Errors of any engineer.

export class EngineerClosed extends IcecoreError {
  override readonly name = 'EngineerClosed';

  constructor(engineer: string) {
    super('internal', `the engineer ${engineer} is closed`, { facts: { engineer } });
  }
}

export type Failure = 'crashed' | 'timeout' | 'unavailable';

interface FailedWith extends Spent {
  /** What it answered before the error; null if nothing arrived. */
  readonly raw?: EventData['ProposalErrored']['raw'];
  readonly remedy?: string;
}

/** A program or an endpoint failed. That is not an answer and says nothing about the engineer's quality. */
export class EngineerFailed extends IcecoreError {
  override readonly name = 'EngineerFailed';
  readonly failure: Failure;
  readonly raw: NonNullable<FailedWith['raw']> | null;
  readonly spent: Spent;

  constructor(failure: Failure, message: string, { raw = null, remedy = '', ...spent }: FailedWith = {}) {
    super('unavailable', message, { facts: { failure }, remedy });
    this.failure = failure;
    this.raw = raw;
    this.spent = spent;
  }
}
