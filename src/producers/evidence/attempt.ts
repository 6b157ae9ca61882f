// One attempt at the evidence of a part of a stage: rollouts are appended to a stream of their own as they come, in batches, and
// vouched for by a seal in the end. Who begins it again makes the same events, of which those that are there already are
// not stored again: so a run that was stopped goes on with the attempt it had.
import type { NewEvent } from '../../../schemas/envelope.ts';
import { streamOf } from '../../../schemas/streams.ts';
import type { Evaluated } from '../../lab/evaluation/judged.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { AttemptTree, type SealedAttempt } from '../../ledger/seal/attempt.ts';
import type { RolloutEvents } from './rollout-events.ts';

const batch = 500;

export interface Place {
  readonly run: string;
  readonly stage: number;
  /** The number of a shard, or a word. */
  readonly part: number | string;
  readonly attempt: number;
}

export class Attempt {
  readonly #ledger: Ledger;
  readonly #stream: string;
  readonly #tree: AttemptTree;
  readonly #check: () => Promise<void>;
  #waiting: NewEvent[] = [];

  /** `check` throws where somebody else has the run by now: then nothing more is appended. */
  constructor(ledger: Ledger, { run, stage, part, attempt }: Place, check: () => Promise<void> = async () => {}) {
    this.#ledger = ledger;
    this.#check = check;
    this.#stream = streamOf.evidence(run, stage, part, attempt);
    this.#tree = new AttemptTree(ledger, this.#stream);
  }

  /** Appends what comes of rollouts, and hands each on once it is made. */
  async *record(
    evaluated: AsyncIterable<Evaluated>,
    events: RolloutEvents,
    signal?: AbortSignal,
  ): AsyncGenerator<Evaluated, void, undefined> {
    for await (const one of evaluated) {
      this.#waiting.push(...events.of(one));
      if (this.#waiting.length >= batch) await this.#append(signal);
      yield one;
    }
    await this.#append(signal);
  }

  async seal(): Promise<SealedAttempt> {
    return await this.#tree.seal();
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
