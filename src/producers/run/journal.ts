// The stream of a run, as the one who runs it writes it: each decision against the revision it was made on, by whoever
// holds the run. Where somebody else wrote in between, what is known is read again, and nothing is written.
import type { NewEvent } from '../../../schemas/envelope.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { DuplicateId } from '../../ledger/errors.ts';
import { KeptTexts } from '../intake/texts.ts';
import type { RunHistory } from './history.ts';
import { NewerHistory } from './newer-events.ts';
import { continued, readHistory } from './reading.ts';
import { type Decision, isAppended, outgoingOf, type Writing } from './writing.ts';

export class Journal {
  readonly #writing: Writing;
  readonly #texts: KeptTexts;
  #history: RunHistory;

  private constructor(writing: Writing, history: RunHistory) {
    this.#writing = writing;
    this.#texts = new KeptTexts(writing.blobs);
    this.#history = history;
  }

  /** Throws NewerHistory. */
  static async open(run: string, writing: Writing): Promise<Journal> {
    return new Journal(writing, requireKnown(await readHistory(writing.ledger, run)));
  }

  get history(): RunHistory {
    return this.#history;
  }

  /** False where somebody else wrote first: then nothing was written, and `history` has what they wrote. */
  async append(decision: Decision): Promise<boolean> {
    const { ledger } = this.#writing;
    const { run } = this.#history;
    const stream = streamOf.run(run);
    const outgoing = outgoingOf(run, run, decision);
    await this.#texts.keep(ledger, stream, [outgoing]);
    const isWritten = await this.#isFirst(stream, outgoing.event);
    this.#history = requireKnown(await continued(ledger, this.#history));
    return isWritten;
  }

  /** Whoever had the run before may have got its first event in, of the same id and with other content. */
  async #isFirst(stream: string, event: NewEvent): Promise<boolean> {
    const { revision } = this.#history;
    try {
      return await isAppended(this.#writing, stream, revision, event);
    } catch (fault) {
      if (!(fault instanceof DuplicateId)) throw fault;
      const { revision: now } = await continued(this.#writing.ledger, this.#history);
      if (now === revision) throw fault;
      return false;
    }
  }
}

/** Throws NewerHistory. */
function requireKnown(history: RunHistory): RunHistory {
  const { newer, started, run } = history;
  if (newer !== undefined) throw new NewerHistory(`run ${started?.data.name ?? run}`, newer);
  return history;
}
