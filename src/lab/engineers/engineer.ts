// The engineer port: who decides, between two stages, how the environment changes. A rule, a model, a program or a person:
// all are asked the same, and answer with a whole configuration and their reasons, or with something that is no proposal.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Configuration, Seed } from '../environments/environment.ts';
import type { Checkpoint } from '../policies/policy.ts';

/** A person: the run waits, and continues once they have decided. */
export const humanName = 'human';

type Proposed = EventData['ProposalRecorded'];
type Rejected = EventData['ProposalRejected'];

/** Who an engineer is and how it is set, as events name it. Never a secret. */
export type Identity = Proposed['engineer'];

/** A figure of a context that can be cited by its evidence id. */
export type Fact = EventData['SummaryRecorded']['facts'][number];
/** A rollout of a context that stands for many. */
export type Exemplar = EventData['SummaryRecorded']['exemplars'][number];

/** One module of a context, as data. */
export interface ContextModule {
  readonly module: string;
  readonly facts: readonly Fact[];
  readonly exemplars: readonly Exemplar[];
}

/** What an engineer is shown: the bytes, and the same as data. */
export interface ShownContext {
  readonly digest: string;
  readonly text: string;
  readonly form: EventData['ContextRecorded']['contextForm'];
  readonly modules: readonly ContextModule[];
  /** What may be cited. */
  readonly evidenceIds: ReadonlySet<string>;
}

/** What an engineer is given to decide on: the stage that is over, and the configuration in force. */
export interface ProposalRequest {
  readonly descriptor: Descriptor;
  /** The stage that is over, and how many there are to be, where that is known. */
  readonly stage: number;
  readonly stages: number | null;
  /** The configuration in force, and that of the first stage. */
  readonly current: Configuration;
  readonly first: Configuration;
  /** Null for an engineer that is shown nothing. */
  readonly context: ShownContext | null;
  /** The snapshot of the policy after the stage; null where there is none. */
  readonly checkpoint: Checkpoint | null;
  /** Which of several proposals to the same question. */
  readonly sample: number;
  readonly seed: Seed;
  readonly signal?: AbortSignal;
}

/** Why a knob is turned or kept. */
export interface Reason {
  readonly knob: string;
  /** Evidence ids of the context; null where it names none. */
  readonly cites: readonly string[] | null;
  readonly reason: string | null;
}

/** What was spent on the way, and what was said, as events have it. */
export type Spent = Pick<Proposed, 'answers' | 'usage' | 'cost' | 'measured'>;

/** A configuration that an engineer proposes, with its reasons. */
export interface Proposal extends Spent {
  readonly configuration: unknown;
  /** Of knobs that it turns. What it leaves out is recorded as left out. */
  readonly reasons: readonly Reason[];
  /** Knobs it keeps on purpose; null where it says nothing of that. */
  readonly kept: readonly Reason[] | null;
  readonly predictions: Proposed['predictions'];
  readonly rationale: string | null;
}

/** An answer that is no proposal. */
export interface NoProposal extends Spent {
  readonly reason: Rejected['reason'];
  readonly issues: Rejected['issues'];
  readonly raw: Rejected['raw'];
}

/** What an engineer came to: a proposal, or why there is none. */
export type Answer = { readonly proposal: Proposal } | { readonly rejected: NoProposal };

/** An engineer that is open: it proposes configurations. Close it after use. */
export interface Engineer {
  readonly identity: Identity;
  /** The modules of a context it can use; none: it is blind to contexts, and is shown none. */
  readonly reads: readonly string[];
  /** Modules among them that mean something only beside another one: shown nothing else, it decides as if shown nothing. */
  readonly readsBeside?: readonly string[];

  /** Throws EngineerFailed where its program or its endpoint keeps it from answering. Aborting throws the signal's reason. */
  propose(request: ProposalRequest): Promise<Answer>;

  /** Releases everything, also what is under way. */
  close(): Promise<void>;
}

// What can go wrong with an engineer, whichever it is.

export class EngineerClosed extends IcecoreError {
  override readonly name = 'EngineerClosed';

  constructor(engineer: string) {
    super('internal', `the engineer ${engineer} is closed`, { facts: { engineer } });
  }
}

export type Failure = 'crashed' | 'timeout' | 'unavailable';

interface FailedWith extends Spent {
  /** What it said before the error; null where nothing came. */
  readonly raw?: EventData['ProposalErrored']['raw'];
  readonly remedy?: string;
}

/** A program or an endpoint kept an engineer from answering. Nothing follows from that about the engineer: it is no answer. */
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
