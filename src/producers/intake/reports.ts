// What an intake reports of evidence. Where evidence has a store of its own, others know of a stream from its report, and what
// comes after that counts nowhere: a stream is reported once, when all of the input is taken in.
import { IcecoreError } from '../../../schemas/errors.ts';
import { isChained, parseStream, streamOf } from '../../../schemas/streams.ts';
import type { Appended, Ledger } from '../../ledger/ledger.ts';
import { AttemptTree } from '../../ledger/seal/attempt.ts';
import { finishedEvent } from '../evidence/reports.ts';

export class IntakeReports {
  readonly #ledger: Ledger;
  readonly #trees = new Map<string, AttemptTree>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** Throws AttemptOver where events came after those that were reported. */
  async appended(stream: string, appended: Appended): Promise<void> {
    if (this.#ledger.capabilities.attempts !== 'reported' || isChained(stream)) return;
    if (appended.existed.includes(false)) {
      const reported = await this.#reportedOf(stream);
      if (reported !== null && appended.revision >= reported) throw new AttemptOver(stream, reported);
    }
    const tree = this.#trees.get(stream) ?? new AttemptTree(this.#ledger, stream);
    this.#trees.set(stream, tree);
    tree.appended(appended);
  }

  /** Once all is taken in: an input that was broken off is taken in again, into the same streams. */
  async finish(): Promise<void> {
    for (const [stream, tree] of this.#trees) {
      const name = parseStream(stream);
      if (name?.category !== 'evidence' || (await this.#reportedOf(stream)) !== null) continue;
      const { run, stage, part, attempt } = name;
      const { count, root } = await tree.seal();
      const event = finishedEvent({ run, stage }, { part, attempt, count, root });
      await this.#ledger.append(streamOf.work(run), [event], { expect: 'any' });
    }
    this.#trees.clear();
  }

  /** With how many events; null where it is not reported. */
  async #reportedOf(stream: string): Promise<number | null> {
    for await (const ends of this.#ledger.streams(stream)) {
      const end = ends.find((one) => one.stream === stream);
      if (end !== undefined) return end.revision + 1;
    }
    return null;
  }
}

export class AttemptOver extends IcecoreError {
  override readonly name = 'AttemptOver';

  constructor(stream: string, events: number) {
    super('conflict', `${stream} was reported with ${events} events: what comes after them counts nowhere`, {
      facts: { stream, events },
      remedy: 'Append it to another attempt: the last number in the name of the stream.',
    });
  }
}
