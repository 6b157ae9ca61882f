// The stream of a run, as the one who runs it writes it: each decision against the revision it was made on, by whoever
// holds the run. Where somebody else wrote in between, what is known is read again, and nothing is written.
import { streamOf } from '../../../schemas/streams.ts';
import { KeptTexts } from '../intake/kept-texts.ts';
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
    const { run, revision } = this.#history;
    const stream = streamOf.run(run);
    const outgoing = outgoingOf(run, run, decision);
    await this.#texts.keep(ledger, stream, [outgoing]);
    const isWritten = await isAppended(this.#writing, stream, revision, outgoing.event);
    this.#history = requireKnown(await continued(ledger, this.#history));
    return isWritten;
  }
}

/** Throws NewerHistory. */
function requireKnown(history: RunHistory): RunHistory {
  const { newer, started, run } = history;
  if (newer !== undefined) throw new NewerHistory(`run ${started?.data.name ?? run}`, newer);
  return history;
}
