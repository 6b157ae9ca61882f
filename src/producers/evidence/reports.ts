// Attempts that are reported. Where evidence has a store of its own, an attempt is one stream that one process writes in one
// session, and others know of it from AttemptFinished in the work stream. What was reported is kept when a run resumes, and
// attempts of a part that were reported one after the other count together.
import { codeOf, type EventData, type NewEventOf, versionOf } from '../../../schemas/catalogue.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { eventId } from '../../ledger/identity/ids.ts';
import { type EvidencePart, rolloutActor } from './parts.ts';

type Finished = EventData['AttemptFinished'];

/** An attempt that was reported under a claim that held. */
export interface FinishedAttempt extends Pick<Finished, 'attempt' | 'count' | 'root'> {
  /** How many events of its part come before its first. */
  readonly begin: number;
  /** How many of its events count: those before the first event of the next attempt. */
  readonly counting: number;
}

/** What counts of a part once one more attempt is reported: of those before it, what comes before its first event. */
export function withFinished(
  before: readonly FinishedAttempt[],
  { attempt, begin = 0, count, root }: Pick<Finished, 'attempt' | 'begin' | 'count' | 'root'>,
): readonly FinishedAttempt[] {
  return [...attemptsBefore(before, begin), { attempt, begin, count, root, counting: count }];
}

/** What counts of attempts up to an event of their part. */
export function attemptsBefore(attempts: readonly FinishedAttempt[], event: number): readonly FinishedAttempt[] {
  return attempts
    .filter(({ begin }) => begin < event)
    .map((one) => ({ ...one, counting: Math.min(one.counting, event - one.begin) }));
}

/** How much one attempt holds: it ends with whichever is reached first. */
export interface AttemptLimits {
  readonly rollouts: number;
  readonly seconds: number;
}

export const usualLimits: AttemptLimits = { rollouts: 10_000, seconds: 60 };

/** Attempts of one part under one claim have numbers of their own, and so do the few claims that a run ever sees. */
export const attemptsOfAClaim = 100_000;

/** Whoever records evidence under a claim: reports attempts as long as the claim holds, and numbers them. */
export class Reports {
  readonly limits: AttemptLimits;
  readonly #options: ReportsOptions;
  readonly #begun = new Map<string, number>();

  constructor(options: ReportsOptions) {
    this.#options = options;
    this.limits = options.limits ?? usualLimits;
  }

  /** Throws where the claim is another's by now. */
  async check(): Promise<void> {
    await this.#options.check();
  }

  get earlierClaims(): number {
    return this.#options.fencingToken - 1;
  }

  /** What was reported of a part while the claims that reported it held, in its order. */
  async finishedAt({ stage, part }: EvidencePart): Promise<readonly FinishedAttempt[]> {
    return await this.#options.finishedAt(stage, String(part));
  }

  /**
   * A number that no attempt at the part has, without a look at its streams: it follows from the fencing token, which no other
   * claim has, and from how many attempts were begun under it. The first claim begins with 0.
   */
  nextAttempt({ stage, part }: EvidencePart): number {
    const key = `${stage}/${part}`;
    const begun = this.#begun.get(key) ?? 0;
    if (begun >= attemptsOfAClaim) throw new TooManyAttempts(key);
    this.#begun.set(key, begun + 1);
    return this.earlierClaims * attemptsOfAClaim + begun;
  }

  /** Throws where the claim is another's by now, and has written nothing then. */
  async report(part: EvidencePart, finished: Omit<Finished, 'part' | 'fencingToken'>): Promise<void> {
    const { fencingToken, write } = this.#options;
    await write(finishedEvent(part, { part: String(part.part), ...finished, fencingToken }));
  }
}

export class TooManyAttempts extends IcecoreError {
  override readonly name = 'TooManyAttempts';

  /** `part`: of which stage, and what. */
  constructor(part: string) {
    super('conflict', `${part}: more than ${attemptsOfAClaim} attempts under one claim of the run`, {
      facts: { part, attempts: attemptsOfAClaim },
      remedy: 'Resume the run: a new claim numbers its own attempts, and what was reported is kept.',
    });
  }
}

export interface ReportsOptions {
  readonly fencingToken: number;
  readonly check: () => Promise<void>;
  readonly finishedAt: (stage: number, part: string) => Promise<readonly FinishedAttempt[]>;
  /** Appends to the work stream of whoever records; throws where the claim is another's, and has written nothing then. */
  readonly write: (event: NewEventOf<'AttemptFinished'>) => Promise<void>;
  readonly limits?: AttemptLimits;
}

/** Its id follows from its attempt: reported again after an answer that did not come, it is the same. */
export function finishedEvent(
  { run, stage }: Omit<EvidencePart, 'part'>,
  data: Finished,
): NewEventOf<'AttemptFinished'> {
  const kind = codeOf('AttemptFinished');
  return {
    id: eventId({ run: `${run}/${data.part}`, stage, kind, index: data.attempt }),
    type: 'AttemptFinished',
    version: versionOf('AttemptFinished'),
    at: new Date().toISOString(),
    actor: rolloutActor,
    run,
    stage,
    causes: [],
    data,
  };
}
