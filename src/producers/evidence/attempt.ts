// Evidence of a part of a stage: rollouts are appended in batches and sealed at the end. Recording a part again makes
// the same events, and those already stored are not stored twice.
import type { NewEvent } from '../../../schemas/envelope.ts';
import { streamOf } from '../../../schemas/streams.ts';
import type { Evaluated } from '../../lab/evaluation/judged.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { AttemptTree, type SealedAttempt } from '../../ledger/seal/attempt.ts';
import { attempted, type EvidencePart, idsOfAnAttempt } from './parts.ts';
import { type AttemptLimits, ReportedPart, type Reports, type Rollout } from './reported.ts';
import type { RolloutEvents } from './rollout-events.ts';

const batch = 500;

/** Records the rollouts of one part. */
export interface Recorder {
  /** The first id of its rollouts. */
  readonly idsBegin: number;
  /** Appends the events of rollouts, and yields each rollout once its events are made. */
  record(
    evaluated: AsyncIterable<Evaluated>,
    events: RolloutEvents,
    signal?: AbortSignal,
  ): AsyncGenerator<Evaluated, void, undefined>;
  /** The attempts that count, in order. */
  seal(): Promise<readonly SealedAttempt[]>;
}

export interface Recording {
  readonly ledger: Ledger;
  /** Throws if another process holds the run: then nothing more is appended. */
  readonly check: () => Promise<void>;
  readonly reports: Reports;
}

/** Records a part in as many attempts as needed. */
export async function recorded<Result>(
  { ledger, check, reports }: Recording,
  part: EvidencePart,
  body: (recorder: Recorder) => Promise<Result>,
): Promise<Result> {
  if (ledger.capabilities.attempts === 'reported') return await body(await reportedRecorder(ledger, part, reports));
  return await attempted(ledger, part, (attempt) => body(new Attempt(ledger, { ...part, attempt }, check)));
}

export async function reportedRecorder(ledger: Ledger, part: EvidencePart, reports: Reports): Promise<Recorder> {
  return new ReportedAttempts(await ReportedPart.open(ledger, part, reports), reports.limits);
}

export interface Place extends EvidencePart {
  readonly attempt: number;
}

/** An attempt in a stream that a resumed run continues. */
export class Attempt implements Recorder {
  readonly idsBegin: number;
  readonly #ledger: Ledger;
  readonly #stream: string;
  readonly #tree: AttemptTree;
  readonly #check: () => Promise<void>;
  #waiting: NewEvent[] = [];

  constructor(ledger: Ledger, { run, stage, part, attempt }: Place, check: () => Promise<void> = async () => {}) {
    this.idsBegin = attempt * idsOfAnAttempt;
    this.#ledger = ledger;
    this.#check = check;
    this.#stream = streamOf.evidence(run, stage, part, attempt);
    this.#tree = new AttemptTree(ledger, this.#stream);
  }

  async *record(
    evaluated: AsyncIterable<Evaluated>,
    events: RolloutEvents,
    signal?: AbortSignal,
  ): AsyncGenerator<Evaluated, void, undefined> {
    for await (const one of evaluated) {
      this.#waiting.push(...events.of(one)(0));
      if (this.#waiting.length >= batch) await this.#append(signal);
      yield one;
    }
    await this.#append(signal);
  }

  async seal(): Promise<readonly SealedAttempt[]> {
    return [await this.#tree.seal()];
  }

  async #append(signal: AbortSignal | undefined): Promise<void> {
    if (this.#waiting.length === 0) return;
    const events = this.#waiting;
    this.#waiting = [];
    await this.#check();
    const options = { expect: 'any', ...(signal === undefined ? {} : { signal }) } as const;
    const appended = await this.#ledger.append(this.#stream, events, options);
    this.#tree.appended(appended);
  }
}

/** Reported attempts, one after the other. */
class ReportedAttempts implements Recorder {
  readonly idsBegin = 0;
  readonly #part: ReportedPart;
  readonly #limits: AttemptLimits;
  #waiting: Rollout[] = [];
  /** The time of the first one. */
  #since = 0;
  /** The number of events, including those recorded before. */
  #events = 0;

  constructor(part: ReportedPart, limits: AttemptLimits) {
    this.#part = part;
    this.#limits = limits;
  }

  async *record(
    evaluated: AsyncIterable<Evaluated>,
    events: RolloutEvents,
    signal?: AbortSignal,
  ): AsyncGenerator<Evaluated, void, undefined> {
    const { rollouts, seconds } = this.#limits;
    const most = Math.min(batch, Math.ceil(rollouts / 4));
    for await (const one of evaluated) {
      if (this.#waiting.length === 0) this.#since = performance.now();
      this.#waiting.push(events.of(one));
      if (this.#waiting.length >= most || performance.now() - this.#since >= seconds * 1000) await this.#append(signal);
      yield one;
    }
    await this.#append(signal);
  }

  async seal(): Promise<readonly SealedAttempt[]> {
    return await this.#part.sealed(this.#events);
  }

  async #append(signal: AbortSignal | undefined): Promise<void> {
    if (this.#waiting.length === 0) return;
    const rollouts = this.#waiting;
    this.#waiting = [];
    this.#events += await this.#part.record(this.#events, rollouts, signal);
  }
}
