// The stream of an ablation as its orchestrator writes it. Arms finish in any order, and their results are appended one
// after the other.
import { streamOf } from '../../../schemas/streams.ts';
import { DuplicateId } from '../../ledger/errors.ts';
import { NewerHistory } from '../history/run-history.ts';
import { KeptTexts } from '../intake/texts.ts';
import { idOf } from '../run/ids.ts';
import { type Decision, isAppended, outgoingOf, type Writing } from '../run/journal.ts';
import { AblationRecord } from './record.ts';

/** An event of the ablation's stream, and the run whose history it belongs to, if any. */
export type Entry = Decision & { readonly run: string | null };

export class AblationJournal {
  readonly record: AblationRecord;
  readonly #writing: Writing;
  readonly #texts: KeptTexts;
  #last: Promise<void> = Promise.resolve();

  private constructor(record: AblationRecord, writing: Writing) {
    this.record = record;
    this.#writing = writing;
    this.#texts = new KeptTexts(writing.blobs);
  }

  /** Throws NewerHistory. */
  static async open(ablation: string, writing: Writing): Promise<AblationJournal> {
    const record = await AblationRecord.read(writing.ledger, ablation);
    if (record.newer !== null)
      throw new NewerHistory(`ablation ${record.started?.data.name ?? ablation}`, record.newer);
    return new AblationJournal(record, writing);
  }

  /** Resolves when the event is durable. */
  async append(entry: Entry): Promise<void> {
    const appended = this.#last.then(async () => await this.#append(entry));
    this.#last = appended.catch(() => {});
    await appended;
  }

  async #append(entry: Entry): Promise<void> {
    const { ledger } = this.#writing;
    const { ablation } = this.record;
    // An orchestrator that resumes in the middle of an arm may repeat its results.
    if (this.record.has(idOf(ablation, entry))) return;
    const stream = streamOf.ablation(ablation);
    const outgoing = outgoingOf(ablation, entry.run, entry);
    await this.#texts.keep(ledger, stream, [outgoing]);
    // The previous holder may have written in between; if it holds the claim again, the check throws.
    for (let isWritten = false; !isWritten; ) {
      try {
        isWritten = await isAppended(this.#writing, stream, this.record.revision, outgoing.event);
      } catch (fault) {
        if (!(fault instanceof DuplicateId)) throw fault;
        await this.record.readNew(ledger);
        isWritten = this.record.has(outgoing.event.id);
        if (!isWritten) throw fault;
      }
      await this.record.readNew(ledger);
    }
  }
}
